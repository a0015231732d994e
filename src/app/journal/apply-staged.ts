import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { createTail, randomHex } from '../../base/ids.ts';
import { omit } from '../../base/omit.ts';
import type { QueryRunner } from '../../continuity/database/database.ts';
import { writeWithin } from '../../continuity/idempotency.ts';
import type { StorePorts } from '../../continuity/scope.ts';
import type { Command, CommandTable } from '../../contract/command.ts';
import { validateParameters } from '../../contract/validate-parameters.ts';
import type { StagedRun } from '../../work/journal/staged-journal.ts';
import type { StagedWrite } from '../../work/journal/staged-write.ts';
import { bindToRun } from './bind-to-run.ts';
import { boundsOf } from './run-bounds.ts';
import type { JournalRun } from './journal-store.ts';
import { journalWriteOf, type DescribeFile } from './journal-writes.ts';

/** Loads the commands of staged writes before the transaction starts. */
export async function loadCommands(
  table: CommandTable,
  writes: readonly StagedWrite[],
): Promise<ReadonlyMap<string, Command>> {
  const commands = new Map<string, Command>();
  for (const path of new Set(writes.map(({ command }) => command)))
    commands.set(path, await table.load(path));
  return commands;
}

/** Applies staged writes like ordinary calls: validated, idempotent by request id, and rejected on a conflict with the store. */
export async function applyStaged(
  db: QueryRunner,
  run: JournalRun<StagedRun>,
  commands: ReadonlyMap<string, Command>,
): Promise<void> {
  const describeFile = describePromoted(run);
  for (const [index, write] of run.writes.entries()) {
    try {
      await applyOne(db, { write, command: commands.get(write.command), run, describeFile });
    } catch (error) {
      if (!(error instanceof Fault) || error.code === 'E_TIMEOUT' || error.code === 'E_IO') throw error;
      throw new Fault(
        'E_CONFLICT',
        `The store rejected journal write ${index + 1} (${write.command}): ${error.message}`,
        {
          details: { reason: 'stage', write: index + 1, command: write.command },
          cause: error,
        },
      );
    }
  }
}

interface StagedCall {
  readonly write: StagedWrite;
  readonly command: Command | undefined;
  readonly run: JournalRun<StagedRun>;
  readonly describeFile: DescribeFile;
}

async function applyOne(db: QueryRunner, { write, command, run, describeFile }: StagedCall): Promise<void> {
  if (command === undefined) throw new Error(`"${write.command}" was not loaded`);
  const params = omit(await validateParameters(command, write.params), 'agent', 'db_path');
  const { prepare, apply } = journalWriteOf(command);
  const prepared = await prepare(params, describeFile);
  const bounds = boundsOf(run);
  const key = {
    agent: bounds.owner,
    requestId: write.requestId ?? undefined,
    command: write.command,
    params,
    onPayloadMismatch: 'reject',
  } as const;
  await writeWithin(db, key, replayPorts(write), async (scope) => {
    const bound = await bindToRun(db, { ...write, params }, bounds, scope.at);
    return apply(bound, scope, prepared);
  });
}

/**
 * Ports with the recorded time and tails of ids. If the store contains a recorded id meanwhile, the write is rejected: with another id,
 * later writes of the run would change what has its id now.
 */
function replayPorts({ nowMs, drawn: tails }: StagedWrite): StorePorts {
  const recorded = [...tails];
  return {
    now: () => nowMs,
    isFixed: true,
    randomHex,
    createTail: () => {
      const tail = recorded.shift() ?? (tails.length === 0 ? createTail(nowMs) : undefined);
      if (tail !== undefined) return tail;
      throw new Fault('E_CONFLICT', 'An id that the run created already exists in the store.', {
        hint: 'Run the item again.',
      });
    },
    describeFile: async () => undefined,
  };
}

/**
 * Describes a file by what the run promoted, never by reading it: otherwise an agent could learn the hash of a file that it cannot read.
 */
function describePromoted({ root, files }: StagedRun): DescribeFile {
  const promoted = new Map(files.map((file) => [file.path, file]));
  return async (path) => {
    const file = promoted.get(resolve(root, path));
    return file === undefined || file.sizeBytes === null
      ? undefined
      : { path: file.path, sizeBytes: file.sizeBytes, blake3: file.blake3 };
  };
}
