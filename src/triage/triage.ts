import { isoTime } from '../base/clock.ts';
import {
  applySession,
  previewApply,
  type AppliedSession,
  type ApplyRequest,
  type PreviewedAction,
} from './operations/apply-session.ts';
import { concludeApply, concludeBatch } from './operations/conclude-apply.ts';
import { describeCapabilities } from './operations/describe-capabilities.ts';
import { comparePlans, diffSnapshots } from './operations/diff-snapshots.ts';
import { parseTarget } from './operations/choose-actions.ts';
import { explainTargets, type ExplainRequest } from './operations/explain-targets.ts';
import { exportSession } from './operations/export-session.ts';
import { planSession } from './operations/plan-session.ts';
import { presentWholePlan, type PlanRequest } from './operations/present-whole-plan.ts';
import { openSteering, type SteeringOperations } from './operations/open-steering.ts';
import { listTriageSessions, sessionStatus } from './operations/session-status.ts';
import { scan, snapshotMachine, type SnapshotRequest } from './operations/snapshot-machine.ts';
import { verifySession } from './operations/verify-session.ts';
import { watchMachine, type WatchRequest } from './operations/watch-machine.ts';
import { requireProcesses } from './operations/require-processes.ts';
import { openTriageContext, type TriageContext } from './operations/triage-context.ts';
import { toMegabytes } from './present/present-results.ts';
import type { BatchBody } from './present/present-batch.ts';
import { presentVisibility } from './present/present-plan.ts';
import { renderHtmlReport } from './report/render-html-report.ts';
import type { TriageSession } from './session/session.ts';
import type { ProcessSnapshot } from './process-snapshot.ts';
import type { TriageEnvironment } from './triage-environment.ts';
import type {
  CapabilitiesResult,
  DiffResult,
  ExportResult,
  ReportResult,
  SessionsResult,
  StatusResult,
  WatchEvent,
} from './session-results.ts';
import type {
  ApplyResult,
  ExplainResult,
  PlanResult,
  ResultHeader,
  SnapshotBody,
  SnapshotResult,
  VerifyResult,
} from './triage-results.ts';

export { Fault } from '../base/fault.ts';
export { openMachine } from './open-machine.ts';
export type { Action, ProcessClass } from './assessment.ts';
export type { FeedbackEntry, ProtectedEntry } from './steering/steering.ts';
export type { FeedbackSubject, ProtectionsBody, SteeringOperations } from './operations/open-steering.ts';
export type { Candidate } from './candidate.ts';
export type { GateName, GateResult } from './gates/gate.ts';
export type { TriageEnvironment } from './triage-environment.ts';
export type { ApplyRequest, PreviewedAction, ExplainRequest, PlanRequest, SnapshotRequest, WatchRequest };
export type {
  CapabilitiesResult,
  ComparedProcess,
  DiffResult,
  ExportedDocument,
  ExportResult,
  ProcessChanges,
  ReportResult,
  SessionsResult,
  StatusResult,
  WatchEvent,
} from './session-results.ts';
export type {
  ActionResult,
  ActionVerification,
  ApplyResult,
  ExplainResult,
  PlanChanges,
  PlanResult,
  SnapshotResult,
  TargetId,
  VerifyResult,
  VisibilityReport,
} from './triage-results.ts';

/** The operations of triage. Results have the contract's fields, the envelope included except for its version. */
export interface Triage extends SteeringOperations {
  readonly snapshot: (request: SnapshotRequest) => Promise<SnapshotResult>;
  readonly plan: (request: PlanRequest) => Promise<PlanResult>;
  readonly explain: (request: ExplainRequest) => Promise<ExplainResult>;
  /** Returns what apply would do now, without doing it. */
  readonly preview: (sessionId: string, request: ApplyRequest) => Promise<readonly PreviewedAction[]>;
  readonly apply: (sessionId: string, request: ApplyRequest) => Promise<ApplyResult>;
  /** Like `apply`, but each action that does not succeed is an item with an error, and never a fault of the call. */
  readonly applyBatch: (sessionId: string, request: ApplyRequest) => Promise<ResultHeader & BatchBody>;
  readonly verify: (sessionId: string) => Promise<VerifyResult>;
  readonly diff: (sessionId: string, other: string | undefined) => Promise<DiffResult>;
  readonly status: (sessionId: string) => Promise<StatusResult>;
  readonly sessions: (limit: number) => Promise<SessionsResult>;
  readonly exportSession: (sessionId: string) => Promise<ExportResult>;
  /** A self-contained HTML file. */
  readonly report: (sessionId: string) => Promise<ReportResult>;
  readonly capabilities: (searchPath: string) => Promise<CapabilitiesResult>;
  readonly watch: (request: WatchRequest) => AsyncIterable<WatchEvent>;
}

/** Opens triage for an environment. Reads and writes nothing before an operation is called. */
export function openTriage(environment: TriageEnvironment): Triage {
  let opened: TriageContext | undefined;
  const context = (): TriageContext => (opened ??= openTriageContext(environment));
  const live = (): TriageContext => requireProcesses(context());
  const open = (id: string): TriageSession => context().store.open(id);
  const apply = async (id: string, request: ApplyRequest): Promise<AppliedSession> =>
    applySession(live(), open(id), request);
  const header = <Id extends string | null>(sessionId: Id): ResultHeader<Id> => ({
    session_id: sessionId,
    generated_at: isoTime(environment.now()).replace(/\.\d+Z$/u, 'Z'),
    host_id: environment.host,
  });
  return {
    snapshot: async (request) => {
      const { session, snapshot } = await snapshotMachine(live(), request);
      return { ...header(session.id), ...describeSnapshot(snapshot) };
    },
    plan: async (request) => {
      const { session, snapshot } =
        request.session === undefined
          ? await snapshotMachine(live(), request)
          : { session: open(request.session), snapshot: undefined };
      const plan = await planSession(context(), session, snapshot, request);
      const earlier =
        request.since === undefined ? undefined : await planSession(context(), open(request.since));
      const difference = earlier && comparePlans(earlier, plan);
      return {
        ...header(session.id),
        ...(await presentWholePlan(context(), session, plan, request, difference)),
      };
    },
    explain: async (request) => {
      const session =
        request.session === undefined
          ? (
              await snapshotMachine(live(), {
                deepPids: request.targets.map((target) => parseTarget(target).pid),
              })
            ).session
          : open(request.session);
      return { ...header(session.id), ...(await explainTargets(context(), session, request)) };
    },
    preview: async (sessionId, request) => previewApply(live(), open(sessionId), request),
    apply: async (id, request) => ({ ...header(id), ...concludeApply(await apply(id, request)) }),
    applyBatch: async (id, request) => ({ ...header(id), ...concludeBatch(await apply(id, request)) }),
    verify: async (sessionId) => ({
      ...header(sessionId),
      ...(await verifySession(live(), open(sessionId))),
    }),
    diff: async (sessionId, other) => {
      const before = open(sessionId).require('snapshot.json');
      const after = other === undefined ? await scan(live(), {}) : open(other).require('snapshot.json');
      return { ...header(sessionId), compared_with: other ?? 'now', ...diffSnapshots(before, after) };
    },
    status: async (sessionId) => ({
      ...header(sessionId),
      ...(await sessionStatus(context(), open(sessionId))),
    }),
    sessions: async (limit) => ({ ...header(null), ...(await listTriageSessions(context(), limit)) }),
    exportSession: async (sessionId) => ({ ...header(sessionId), ...exportSession(open(sessionId)) }),
    report: async (sessionId) => ({ ...header(sessionId), ...reportOf(open(sessionId), environment.now()) }),
    capabilities: async (searchPath) => ({
      ...header(null),
      ...(await describeCapabilities(context(), searchPath)),
    }),
    watch: (request) => watchMachine(live(), header, request),
    ...openSteering({ context, live, open, header, reset: () => (opened = undefined) }),
  };
}

function reportOf(
  session: TriageSession,
  nowMs: number,
): Pick<ReportResult, 'media_type' | 'bytes' | 'html'> {
  const html = renderHtmlReport({ session, plan: session.require('plan.json'), generatedAt: isoTime(nowMs) });
  return { media_type: 'text/html', bytes: Buffer.byteLength(html), html };
}

function describeSnapshot(snapshot: ProcessSnapshot): SnapshotBody {
  const { processes, memory } = snapshot;
  return {
    summary: {
      total_scanned: processes.length,
      looked_into: processes.filter(({ deep }) => deep !== null).length,
      window_ms: snapshot.windowMs,
      memory_total_mb: toMegabytes(memory.totalBytes),
      memory_available_mb: toMegabytes(memory.availableBytes),
      cpu_count: snapshot.cpuCount,
    },
    visibility: presentVisibility({ host: snapshot }),
  };
}
