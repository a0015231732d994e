import { describeFeedback } from '../steering/find-feedback.ts';
import type { FindVeto } from './veto.ts';

/** A user marked this command as "keep". */
export const feedbackVeto: FindVeto = ({ feedback }) =>
  feedback?.verdict === 'keep' ? describeFeedback(feedback) : undefined;
