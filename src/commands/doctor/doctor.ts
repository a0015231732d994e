import { defineDoctor } from './define-doctor.ts';

export default defineDoctor({});
