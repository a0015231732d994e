import { defineDecision } from './define-decision.ts';

export default defineDecision('approved', 'Let a run that waits for a person into the tree');
