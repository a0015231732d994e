import { DEED_CHECKS } from '../../app/doctor/deed-checks.ts';
import { defineDoctor } from './define-doctor.ts';

export default defineDoctor(DEED_CHECKS);
