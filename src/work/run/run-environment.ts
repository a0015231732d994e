import { join } from 'node:path';
import { omit } from '../../base/omit.ts';
import { RUN_MARK } from '../../base/run-mark-variable.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import { treePath, type WorkItem } from '../item/work-item.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { WorkContext } from '../work-context.ts';
import { markOf } from './run-mark.ts';

export interface RunNames {
  readonly runId: string;
  readonly jobId: string;
  readonly item: WorkItem;
  readonly taskId?: string | undefined;
  /** The first of the ports that this workspace may use. */
  readonly port?: number | undefined;
  /** Seconds since the epoch that build tools use as build time; the same in a replay. */
  readonly sourceDateEpoch: string;
}

/**
 * The environment of every process of a run: the allow-list, variables named in the agent's configuration, and the variables that
 * identify the run. Time zone and locale are fixed, so that a replay has the same.
 */
export function runEnvironment(
  context: Pick<WorkContext, 'env' | 'home' | 'traceparent'>,
  agent: AgentConfig | undefined,
  names: RunNames,
): Record<string, string> {
  const extra = agent !== undefined && 'env' in agent ? (agent.env ?? []) : [];
  const named = Object.fromEntries(extra.map((name) => [name, context.env[name]]));
  return {
    ...omit(childEnvironment(context.env, named), 'DEED_HOME', 'PWD'),
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    ...names.item.env,
    SOURCE_DATE_EPOCH: names.sourceDateEpoch,
    DEED_RUN_ID: names.runId,
    [RUN_MARK]: markOf(context.home, names.runId),
    DEED_JOB_ID: names.jobId,
    ...(context.traceparent !== undefined && { TRACEPARENT: context.traceparent }),
    DEED_ITEM_ID: names.item.id,
    DEED_AGENT: names.item.agent_id,
    ...(names.port !== undefined && {
      DEED_PORT: String(names.port),
      DEED_PORT_COUNT: String(WORK_LIMITS.ports),
    }),
    ...(names.item.working_directory !== undefined && {
      DEED_WORKING_DIRECTORY: treePath(names.item.working_directory),
    }),
    ...(names.taskId !== undefined && { DEED_TASK_ID: names.taskId }),
  };
}

/** The start of the run in seconds, for build tools that embed a time stamp. */
export function epochOf({ startedAt }: { readonly startedAt: string }): string {
  return String(Math.floor(Date.parse(startedAt) / 1000));
}

/** Expands a leading `~` of configured folders to the account's home. */
export function expandPaths(paths: readonly string[] | undefined, accountHome: string): readonly string[] {
  return (paths ?? []).map((path) => (path.startsWith('~') ? join(accountHome, path.slice(1)) : path));
}
