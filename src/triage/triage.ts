import { isoTime } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import {
  applySession,
  previewApply,
  type ApplyRequest,
  type PreviewedAction,
} from './operations/apply-session.ts';
import { describeCapabilities } from './operations/list-capabilities.ts';
import { comparePlans, diffSnapshots } from './operations/diff-snapshots.ts';
import { explainTargets, type ExplainRequest } from './operations/explain-targets.ts';
import { exportSession } from './operations/export-session.ts';
import { planSession } from './operations/make-plan.ts';
import { presentWholePlan, type PlanRequest } from './operations/present-whole-plan.ts';
import { listSessions, sessionStatus } from './operations/session-status.ts';
import { look, takeSnapshot, type SnapshotRequest } from './operations/take-snapshot.ts';
import { verifySession } from './operations/verify-session.ts';
import { watchMachine, type WatchRequest } from './operations/watch-machine.ts';
import { requireProcesses } from './operations/require-processes.ts';
import { openTriageContext, type TriageContext } from './operations/triage-context.ts';
import { presentResults, summarizeResults, toMegabytes } from './present/present-apply.ts';
import { renderReport } from './report/render-html-report.ts';
import type { Session } from './session/session.ts';
import type { Snapshot } from './process-snapshot.ts';
import type { TriageEnvironment } from './triage-environment.ts';

export { openMachine } from './open-machine.ts';
export type { TriageEnvironment } from './triage-environment.ts';
export type { ApplyRequest, PreviewedAction, ExplainRequest, PlanRequest, SnapshotRequest, WatchRequest };

/** The operations of triage. Answers have the contract's fields, the envelope included except for its version. */
export interface Triage {
  readonly snapshot: (request: SnapshotRequest) => Promise<JsonObject>;
  readonly plan: (request: PlanRequest) => Promise<JsonObject>;
  readonly explain: (request: ExplainRequest) => Promise<JsonObject>;
  /** Says what apply would do now; touches nothing. */
  readonly preview: (sessionId: string, request: ApplyRequest) => Promise<readonly PreviewedAction[]>;
  readonly apply: (sessionId: string, request: ApplyRequest) => Promise<JsonObject>;
  readonly verify: (sessionId: string) => Promise<JsonObject>;
  readonly diff: (sessionId: string, other: string | undefined) => Promise<JsonObject>;
  readonly status: (sessionId: string) => Promise<JsonObject>;
  readonly sessions: (limit: number) => Promise<JsonObject>;
  readonly exportSession: (sessionId: string) => Promise<JsonObject>;
  /** One HTML file that needs nothing from elsewhere. */
  readonly report: (sessionId: string) => Promise<JsonObject & { readonly html: string }>;
  readonly capabilities: (searchPath: string) => Promise<JsonObject>;
  readonly watch: (request: WatchRequest) => AsyncIterable<JsonObject>;
}

/** Opens triage on a machine. Nothing is read or written before an operation is called. */
export function openTriage(environment: TriageEnvironment): Triage {
  let opened: TriageContext | undefined;
  const context = (): TriageContext => (opened ??= openTriageContext(environment));
  const open = (id: string): Session => context().store.open(id);
  const envelope = (sessionId: string | null): JsonObject => ({
    session_id: sessionId,
    generated_at: isoTime(environment.now()).replace(/\.\d+Z$/u, 'Z'),
    host_id: environment.host,
  });
  return {
    snapshot: async (request) => {
      const { session, snapshot } = await takeSnapshot(requireProcesses(context()), request);
      return { ...envelope(session.id), ...describeSnapshot(snapshot) };
    },
    plan: async (request) => {
      const { session, snapshot } =
        request.session === undefined
          ? await takeSnapshot(requireProcesses(context()), request)
          : { session: open(request.session), snapshot: undefined };
      const plan = await planSession(context(), session, snapshot, request.run);
      const earlier =
        request.since === undefined ? undefined : await planSession(context(), open(request.since));
      const difference = earlier && comparePlans(earlier, plan);
      return {
        ...envelope(session.id),
        ...(await presentWholePlan(context(), session, plan, request, difference)),
      };
    },
    explain: async (request) => {
      const session =
        request.session === undefined
          ? (
              await takeSnapshot(requireProcesses(context()), {
                deepPids: request.targets.map((target) => Number.parseInt(target, 10)),
              })
            ).session
          : open(request.session);
      return { ...envelope(session.id), ...(await explainTargets(context(), session, request)) };
    },
    preview: async (sessionId, request) =>
      previewApply(requireProcesses(context()), open(sessionId), request),
    apply: async (sessionId, request) => {
      const entries = await applySession(requireProcesses(context()), open(sessionId), request);
      return { ...envelope(sessionId), results: presentResults(entries), summary: summarizeResults(entries) };
    },
    verify: async (sessionId) => ({
      ...envelope(sessionId),
      ...(await verifySession(requireProcesses(context()), open(sessionId))),
    }),
    diff: async (sessionId, other) => {
      const before = open(sessionId).require('snapshot.json');
      const after =
        other === undefined
          ? await look(requireProcesses(context()), {})
          : open(other).require('snapshot.json');
      return { ...envelope(sessionId), compared_with: other ?? 'now', ...diffSnapshots(before, after) };
    },
    status: async (sessionId) => ({ ...envelope(sessionId), ...sessionStatus(context(), open(sessionId)) }),
    sessions: async (limit) => ({ ...envelope(null), ...listSessions(context(), limit) }),
    exportSession: async (sessionId) => ({ ...envelope(sessionId), ...exportSession(open(sessionId)) }),
    report: async (sessionId) => {
      const session = open(sessionId);
      const plan = session.require('plan.json');
      const html = renderReport({ session, plan, generatedAt: isoTime(environment.now()) });
      return { ...envelope(sessionId), media_type: 'text/html', bytes: Buffer.byteLength(html), html };
    },
    capabilities: async (searchPath) => ({
      ...envelope(null),
      ...(await describeCapabilities(context(), searchPath)),
    }),
    watch: (request) => watchMachine(requireProcesses(context()), envelope, request),
  };
}

function describeSnapshot(snapshot: Snapshot): JsonObject {
  const { processes, memory, visibility } = snapshot;
  return {
    summary: {
      total_scanned: processes.length,
      looked_into: processes.filter(({ deep }) => deep !== null).length,
      window_ms: snapshot.windowMs,
      memory_total_mb: toMegabytes(memory.totalBytes),
      memory_available_mb: toMegabytes(memory.availableBytes),
      cpu_count: snapshot.cpuCount,
    },
    visibility: {
      complete: visibility.complete,
      hidepid: visibility.hidepid,
      unreadable_processes: visibility.unreadableProcesses,
      vanished: visibility.vanished,
      notes: visibility.notes,
    },
  };
}
