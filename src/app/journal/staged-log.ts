import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { WriteKey } from '../../continuity/idempotency.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { StagedWrite } from '../../work/journal/staged-write.ts';

/** Names the file to which writes of a run are also logged; set only in the environment of a run. */
export const STAGE_VARIABLE = 'DEED_STAGE';
/** The project of the run; empty if its path is too long for a project id. */
export const STAGE_PROJECT_VARIABLE = 'DEED_STAGE_PROJECT';
const LOG = 'stage.ndjson';

/** Commands that a run may stage: writes of tasks, events, memories and files. None of them deletes. */
export const STAGED_COMMANDS = [
  'push',
  'task create',
  'task begin',
  'task heartbeat',
  'task set-status',
  'task set-priority',
  'task complete',
  'task add-dep',
  'memory set',
] as const;
/** Writes that matter only to the caller: they are applied to its copy and dropped with it. */
const LOCAL_COMMANDS: ReadonlySet<string> = new Set(['resume', 'memory gc']);

export function stagedLogPath(scratch: string): string {
  return join(scratch, LOG);
}

/** Returns the log for staged writes if this call is made inside a run. */
export function stagedLogOf(
  { system }: Pick<CommandContext, 'system'>,
  command: string,
  dbPath: string | undefined,
): string | undefined {
  const path = system.env[STAGE_VARIABLE];
  // Writes to any other database are not staged.
  if (!path || dbPath !== undefined || system.env.VYBE_DB_PATH || LOCAL_COMMANDS.has(command))
    return undefined;
  if ((STAGED_COMMANDS as readonly string[]).includes(command)) return path;
  throw new Fault('E_FORBIDDEN', `"${command}" is not allowed inside a run.`, {
    hint: 'Inside a run, a command can write tasks, events, memories and files, and can delete nothing. Run this command outside the run.',
    details: { command },
  });
}

/** Logs a write. Called inside the transaction of the write, so the log has the order of the writes. */
export function logStaged(path: string, key: WriteKey, nowMs: number, tails: string[]): void {
  const { command, agent, requestId = null } = key;
  const write: StagedWrite = {
    command,
    params: key.params as JsonObject,
    agent,
    requestId,
    nowMs,
    drawn: tails,
  };
  appendFileSync(path, `${JSON.stringify(write)}\n`, { mode: 0o600 });
}
