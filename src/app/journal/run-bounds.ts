import type { CommandContext } from '../../contract/command.ts';
import { jobAgentName, type JournalRun } from './journal-store.ts';
import { STAGE_PROJECT_VARIABLE } from './staged-log.ts';

/** What the journal writes of a run may touch. */
export interface RunBounds {
  /** The agent of the run's job; all its writes are made under this name. */
  readonly owner: string;
  /** The configured name of the agent, whose own memories the run may write. */
  readonly agentId: string;
  readonly project: string | null;
  /** The task of the run, which may belong to no project. */
  readonly taskId?: string | undefined;
}

export function boundsOf(run: JournalRun): RunBounds {
  const { agentId, project, taskId } = run;
  return { owner: jobAgentName(run), agentId, project, taskId };
}

/** Reads the bounds of the run that this call is made in, so that a write is rejected where it is made. */
export function boundsInRun({ system: { env } }: Pick<CommandContext, 'system'>): RunBounds {
  return {
    owner: env.VYBE_AGENT ?? '',
    agentId: env.DEED_AGENT ?? '',
    project: env[STAGE_PROJECT_VARIABLE] || null,
    taskId: env.DEED_TASK_ID,
  };
}
