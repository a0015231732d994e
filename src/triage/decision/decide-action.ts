import type { Action } from '../assessment.ts';
import { isAllowed, type Automation } from './automation.ts';

/**
 * The odds propose an action; grounds and vetoes decide whether it may be automatic, and otherwise a person reviews it. What has lost its
 * owner is listed in any case.
 */
export function decideAction(
  wanted: Action,
  automation: Automation,
  { isListed, canReview }: { readonly isListed: boolean; readonly canReview: boolean },
): Action {
  if (wanted === 'review') return wanted;
  if (wanted === 'spare') return isListed && canReview ? 'review' : wanted;
  return isAllowed(automation) ? wanted : 'review';
}
