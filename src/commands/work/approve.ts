import { defineDecision } from './define-decision.ts';

export default defineDecision('approved', 'Approve a waiting run and promote its changes');
