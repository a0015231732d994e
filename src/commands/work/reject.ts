import { defineDecision } from './define-decision.ts';

export default defineDecision('rejected', 'Reject a waiting run and discard its changes');
