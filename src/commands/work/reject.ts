import { defineDecision } from './define-decision.ts';

export default defineDecision('rejected', 'Discard a run that waits for a person');
