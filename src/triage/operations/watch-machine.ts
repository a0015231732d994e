import { limitJitLater } from '../../system/limit-jit.ts';
import { releaseMemory } from '../../system/release-memory.ts';
import { assess } from '../assess.ts';
import type { Action, Assessment } from '../assessment.ts';
import { placeBet } from '../decision/alpha-investing.ts';
import { presentCandidate } from '../present/present-candidate.ts';
import { readOrphanTimes } from '../session/orphan-times.ts';
import type { WatchEvent } from '../session-results.ts';
import type { ResultHeader } from '../triage-results.ts';
import { planSession } from './plan-session.ts';
import { currentBudget, createTriageSession, scan, type SnapshotRequest } from './snapshot-machine.ts';
import type { TriageContext } from './triage-context.ts';

export interface WatchRequest extends SnapshotRequest {
  readonly intervalMs: number;
  /** Stops after this many rounds; by default it runs until the caller aborts. */
  readonly rounds?: number | undefined;
  readonly only?: readonly Action[] | undefined;
}

/**
 * Takes snapshots at an interval and emits changes. Only a round with new or changed candidates creates a triage session, whose plan
 * can be applied.
 */
export async function* watchMachine(
  context: TriageContext,
  envelope: (sessionId: string | null) => ResultHeader<string | null>,
  request: WatchRequest,
): AsyncGenerator<WatchEvent> {
  limitJitLater();
  const { environment, parameters } = context;
  let known = new Map<string, Assessment>();
  for (let round = 1; ; round += 1) {
    const { wealth } = currentBudget(context);
    const { alpha } = placeBet(wealth);
    const snapshot = await scan(context, request);
    const judgement = assess(snapshot, parameters, {
      alpha,
      feedback: context.steering.feedback,
      ...readOrphanTimes(environment.dataRoot, snapshot),
    });
    const found = new Map(
      judgement.assessments
        .filter((item) => isWatched(item, request.only))
        .map((item) => [keyOf(item), item]),
    );
    const news = [...found.values()].filter((item) => verdictOf(known.get(keyOf(item))) !== verdictOf(item));
    const gone = [...known.values()].filter((item) => !found.has(keyOf(item)));
    let sessionId: string | null = null;
    if (news.length > 0) {
      const session = createTriageSession(context, snapshot, wealth, request.uid);
      await planSession(context, session, snapshot);
      sessionId = session.id;
    }
    for (const item of news) {
      const event = known.has(keyOf(item)) ? 'candidate.changed' : 'candidate.found';
      yield { ...envelope(sessionId), event, round, candidate: presentCandidate(item, {}) };
    }
    for (const { pid, start_id } of gone)
      yield { ...envelope(null), event: 'candidate.gone', round, target: { pid, start_id } };
    yield {
      ...envelope(sessionId),
      event: 'round.ended',
      round,
      summary: {
        total_scanned: judgement.scanned,
        watched: found.size,
        news: news.length,
        gone: gone.length,
      },
    };
    known = found;
    if (request.rounds !== undefined && round >= request.rounds) return;
    releaseMemory();
    await environment.sleep(request.intervalMs);
    environment.signal.throwIfAborted();
  }
}

function isWatched({ recommended_action }: Assessment, only: readonly Action[] | undefined): boolean {
  return only === undefined ? recommended_action !== 'spare' : only.includes(recommended_action);
}

function verdictOf(item: Assessment | undefined): string | undefined {
  return item && `${item.classification} ${item.recommended_action}`;
}

function keyOf({ pid, startTicks }: Assessment): string {
  return `${pid}:${startTicks}`;
}
