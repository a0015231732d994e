import type { Assessment } from '../assessment.ts';
import type { PlanDocument, PlannedAction } from '../plan-document.ts';

/** Returns the assessment of a planned action. */
export function requireAssessment(
  { judgement }: PlanDocument,
  { target }: Pick<PlannedAction, 'target'>,
): Assessment {
  const found = judgement.assessments.find(
    ({ pid, start_id }) => pid === target.pid && start_id === target.start_id,
  );
  if (found === undefined) throw new Error(`the plan has no assessment of ${target.start_id}`);
  return found;
}
