import { describeFeedback } from '../steering/find-feedback.ts';
import type { FindVeto } from './veto.ts';

/** A user said that this command is to be kept. */
export const feedbackVeto: FindVeto = ({ feedback }) =>
  feedback?.verdict === 'keep' ? describeFeedback(feedback) : undefined;
