import { CLASSES, type Action, type Assessment, type ByClass } from '../assessment.ts';
import type { Parameters } from '../parameters/model-parameters.ts';

/** Returns how sure the model is of the likeliest class. */
export function confidenceOf(posterior: ByClass, { confidence }: Parameters): Assessment['confidence'] {
  const largest = Math.max(...CLASSES.map((className) => posterior[className]));
  if (largest > confidence.very_high) return 'very_high';
  if (largest > confidence.high) return 'high';
  return largest > confidence.medium ? 'medium' : 'low';
}

const URGENCY: readonly Action[] = ['kill', 'restart', 'pause', 'throttle', 'review', 'spare'];

/** Compares assessments: the most urgent action first, then the largest reduction of expected loss. */
export function byUrgency(left: Assessment, right: Assessment): number {
  const order = URGENCY.indexOf(left.recommended_action) - URGENCY.indexOf(right.recommended_action);
  if (order !== 0) return order;
  const saved = ({ expectedLoss, recommended_action }: Assessment): number =>
    expectedLoss.spare - expectedLoss[recommended_action];
  return saved(right) - saved(left) || left.pid - right.pid;
}
