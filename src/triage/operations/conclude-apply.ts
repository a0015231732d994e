import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { presentBatch, type BatchBody } from '../present/present-batch.ts';
import { presentResults, summarizeResults } from '../present/present-results.ts';
import type { ApplyBody } from '../triage-results.ts';
import { countCompleted } from './apply-actions.ts';
import type { AppliedSession } from './apply-session.ts';
import { refusalOf } from './refusal.ts';

/** Returns the results of an apply, in which every action stopped by a gate is a fault. Throws if the apply did not finish. */
export function concludeApply(applied: AppliedSession): ApplyBody {
  const body = { results: presentResults(applied.entries), summary: summarizeResults(applied.entries) };
  assertFinished(applied, body);
  const refusal = refusalOf(applied.entries);
  if (refusal !== undefined) throw refusal;
  return body;
}

/** Returns the results of an apply as a batch: each action has its own error. Throws if the apply did not finish. */
export function concludeBatch(applied: AppliedSession): BatchBody {
  const body = presentBatch(applied.entries, applied.pending);
  assertFinished(applied, body);
  return body;
}

function assertFinished({ result, entries, pending, resumeCommand }: AppliedSession, body: JsonObject): void {
  if (result === 'completed' || result === 'stopped') return;
  const total = entries.length + pending.length;
  const completed = countCompleted(entries);
  const what = result === 'timeout' ? 'Apply timed out' : 'Apply was interrupted';
  throw new Fault(
    result === 'timeout' ? 'E_TIMEOUT' : 'E_INTERRUPTED',
    `${what} after ${completed} of ${total} actions. Completed actions are recorded.`,
    {
      hint: `Resume with: ${resumeCommand}`,
      details: {
        progress: {
          total_actions: total,
          completed_actions: completed,
          pending_actions: total - completed,
        },
        resume_command: resumeCommand,
        ...body,
      },
    },
  );
}
