/**
 * Atomic work as a library: `executeWorkItem` runs one item and returns its RunResult. The item is applied completely or not at all,
 * and a receipt records which.
 */
import { resolve } from 'node:path';
import { deedTool } from './app/deed-tool.ts';
import { locateDeed } from './app/locate-deed.ts';
import { openWorkContext } from './app/work/open-work-context.ts';
import { Fault } from './base/fault.ts';
import { locateHome } from './contract/home.ts';
import { processSystem } from './entrypoints/cli/process-system.ts';
import { checkAgents, requireAgent, type AgentConfig } from './work/executors/agent-config.ts';
import type { BuiltinAgent } from './work/executors/executor.ts';
import { checkItem } from './work/item/check-item.ts';
import { RECONCILER, type WorkItem } from './work/item/work-item.ts';
import { createJob, locateTree } from './work/plan/create-job.ts';
import { isEnded } from './work/plan/item-state.ts';
import { itemState, runState } from './work/plan/job.ts';
import { assertAgents, runJob } from './work/plan/run-job.ts';
import type { RunResult } from './work/run/run-result.ts';
import type { WorkEvent } from './work/run/work-event.ts';
import type { WorkContext } from './work/work-context.ts';
import { takeSnapshot } from './work/workspace/take-snapshot.ts';
import { restoreSnapshot } from './work/workspace/restore-snapshot.ts';
import type { Promotion, Snapshot } from './work/workspace/workspace.ts';

export interface WorkOptions {
  /** The git working tree; default: the current folder. */
  readonly root?: string;
  /** The folder for runs, receipts and keys; default: DEED_HOME or `~/.deed`. */
  readonly home?: string;
  /** Agents by name, instead of the setting work.agents. */
  readonly agents?: Readonly<Record<string, AgentConfig>>;
  readonly builtin?: BuiltinAgent;
  /** The deed executable, which replay scripts and tools of built-in agents start; default: found automatically. */
  readonly deed?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: WorkEvent) => void;
}

/** A work item in which fields with a default are optional. */
export type WorkItemInput = Pick<WorkItem, 'id' | 'agent_id' | 'description'> & {
  readonly [K in Exclude<keyof WorkItem, 'id' | 'agent_id' | 'description'>]?: K extends 'constraints'
    ? Partial<WorkItem['constraints']>
    : WorkItem[K];
};

/** Runs one work item. An item with dependencies is rejected: they belong to plans, which `deed work run` runs. */
export async function executeWorkItem(
  workItem: WorkItemInput,
  options: WorkOptions = {},
): Promise<RunResult> {
  const { deed, ...context } = openContext(options);
  const item = checkItem(workItem);
  if (item.dependencies.length > 0) throw hasDependencies(item);
  assertAgents([item], context);
  const { assertPatterns } = await import('./work/item/assert-patterns.ts');
  assertPatterns([item]);
  if (deed === undefined && options.builtin === undefined) rejectBuiltin(item, context);
  const tree = await locateTree(context, resolve(options.root ?? '.'));
  const job = await runJob(createJob(context, [item], { root: tree.root, jobs: 1 }), context, tree);
  const own = itemState(context.home, job, item.id);
  const state = own.runId === undefined && job.reconciledBy ? runState(context.home, job.reconciledBy) : own;
  if (isEnded(state)) return state.result;
  throw new Fault('E_HUMAN_REQUIRED', `Run ${state.runId} waits for approval.`, {
    details: {
      action: 'approve_run',
      run_id: state.runId ?? null,
      resume: `deed work run --resume ${job.id}`,
    },
  });
}

function hasDependencies({ id, dependencies }: WorkItem): Fault {
  return new Fault(
    'E_VALIDATION',
    `Item "${id}" depends on ${dependencies.join(', ')}, which a single call cannot run.`,
    {
      hint: 'Run the items in order and leave dependencies empty, or run a plan with deed work run.',
      details: { field: 'dependencies', dependencies: [...dependencies] },
    },
  );
}

/** Records the state of a tree; with `contents` it can be restored later. */
export function freeze(options: WorkOptions & { readonly contents?: boolean } = {}): Promise<Snapshot> {
  const { contents = true } = options;
  return takeSnapshot(openContext(options).workspace, resolve(options.root ?? '.'), { contents });
}

/** Restores a tree to a recorded state, completely or not at all. */
export function thaw(snapshotId: string, options: WorkOptions = {}): Promise<Promotion> {
  return restoreSnapshot(openContext(options).workspace, snapshotId);
}

function openContext(options: WorkOptions): WorkContext & { readonly deed: string | undefined } {
  const here = processSystem();
  const { env } = here;
  const deed = options.deed ?? locateDeed(import.meta.url, env.PATH ?? '');
  const system = {
    ...here,
    // Without a known executable, a replay script searches the PATH.
    executable: { ...here.executable, command: [deed ?? 'deed'] },
    ...(options.home !== undefined && { env: { ...env, DEED_HOME: resolve(options.home) } }),
  };
  const signal = options.signal ?? new AbortController().signal;
  const opened = openWorkContext(
    { tool: deedTool, system, home: locateHome(deedTool, system), signal },
    options.onEvent,
  );
  return {
    ...opened,
    deed,
    ...(options.agents && { agents: checkAgents(options.agents) }),
    ...(options.builtin && { builtin: options.builtin }),
  };
}

/** Rejects a built-in agent without a deed executable, because its tools run inside the workspace in a deed process. */
function rejectBuiltin({ agent_id: id }: WorkItem, { agents }: WorkContext): void {
  const agent = id === RECONCILER ? agents[id] : requireAgent(agents, id);
  if (agent?.kind !== 'builtin') return;
  throw new Fault('E_CONFIG', `Agent "${id}" needs the deed executable, which was not found.`, {
    hint: 'Install deed-cli with its optional dependencies, put deed on the PATH, or pass its path as the option "deed".',
    details: { agent: id, option: 'deed' },
  });
}

export { Fault } from './base/fault.ts';
export { checkAdmission, type Admission, type AdmissionLimits } from './work/admission/check-admission.ts';
export type { Assignment, BuiltinAgent, Executor } from './work/executors/executor.ts';
export { parsePlan } from './work/item/parse-plan.ts';
export { resolveDependencies } from './work/item/resolve-dependencies.ts';
export type { WorkItem } from './work/item/work-item.ts';
export { verifyReceipts } from './work/receipt/verify-receipts.ts';
export type { Receipt } from './work/receipt/receipt.ts';
export type { RunCapsule } from './work/run/run-capsule.ts';
export type { AgentConfig } from './work/executors/agent-config.ts';
export type { WorkEvent } from './work/run/work-event.ts';
export type { RunResult } from './work/run/run-result.ts';
export type { Promotion, Snapshot } from './work/workspace/workspace.ts';
