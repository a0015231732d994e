import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { RequestKey } from '../../continuity/idempotency.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { StagedWrite } from '../../work/journal/staged-write.ts';

/** Names the file into which writes of a run are also logged; only the environment of a run has it. */
export const STAGE_VARIABLE = 'DEED_STAGE';
const LOG = 'stage.ndjson';

/** What a run may bring into the store: its tasks, events, memories and files. */
export const STAGED_COMMANDS = [
  'push',
  'task create',
  'task begin',
  'task heartbeat',
  'task set-status',
  'task set-priority',
  'task complete',
  'task add-dep',
  'task remove-dep',
  'memory set',
  'memory delete',
] as const;
/** What concerns only the caller itself happens in its copy and goes with it. */
const PASSING: ReadonlySet<string> = new Set(['resume', 'memory gc']);

export function stageLog(scratch: string): string {
  return join(scratch, LOG);
}

/** Tells whether this call is one of a run whose writes are staged, and where they are logged. */
export function stageOf(
  { system }: Pick<CommandContext, 'system'>,
  command: string,
  dbPath: string | undefined,
): string | undefined {
  const path = system.env[STAGE_VARIABLE];
  // Another database than the run's own is no business of the run.
  if (!path || dbPath !== undefined || system.env.VYBE_DB_PATH || PASSING.has(command)) return undefined;
  if ((STAGED_COMMANDS as readonly string[]).includes(command)) return path;
  throw new Fault('E_FORBIDDEN', `"${command}" cannot be done inside of a run.`, {
    hint: 'A run brings tasks, events, memories and files into the journal; do the rest outside of it.',
    details: { command },
  });
}

/** Logs a write. Called inside the write's transaction, so the log has the order of the writes. */
export function logStaged(path: string, key: RequestKey, nowMs: number, drawn: string[]): void {
  const { command, agent, requestId = null } = key;
  const write: StagedWrite = { command, params: key.params as JsonObject, agent, requestId, nowMs, drawn };
  appendFileSync(path, `${JSON.stringify(write)}\n`, { mode: 0o600 });
}
