import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTool } from '../src/app/create-tool.ts';
import listCommand from '../src/commands/audit/list.ts';
import { execute, type Runtime } from '../src/contract/execute.ts';
import { createTable } from '../src/contract/command-table.ts';
import { envelope } from '../src/dialects/deed/envelope.ts';
import { processSystem } from '../src/entrypoints/cli/process-system.ts';
import { fillAudit } from './fill-audit.ts';
import { measure, medianOf, ratioOf, type Case } from './measure.ts';
import type { Report, Row } from './report.ts';

const ROUNDS = 7;
const SIZES = [100, 1000, 10_000];
const MAX_ROWS = Math.max(...SIZES);
const PAGE = 100;

/** Reads lists of growing length to the end, page by page and with selected fields; a row must not cost more in a longer list. */
export async function pagedList(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  try {
    const cases = SIZES.map((rows): Case => {
      const path = join(folder, String(rows));
      fillAudit(path, rows);
      return { name: nameOf(rows), run: () => readRows(path, rows) };
    });
    const times = await measure(cases, ROUNDS, 1);
    return [
      {
        title: 'Paged list',
        note: `Time for ${MAX_ROWS} rows with --fields in pages of ${PAGE}, from lists of these lengths; ratio to the shorter list above.`,
        rows: SIZES.map((rows, index): Row => {
          const shorter = SIZES[index - 1];
          const row = { name: nameOf(rows), milliseconds: medianOf(times, nameOf(rows)) };
          return shorter === undefined
            ? { ...row, ratio: 1 }
            : { ...row, ratio: ratioOf(times, nameOf(rows), nameOf(shorter)), target: 1.5 };
        }),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function nameOf(rows: number): string {
  return `${rows} rows`;
}

/** Reads a short list repeatedly, until it has read as many rows as the longest list has. */
async function readRows(home: string, rows: number): Promise<void> {
  for (let read = 0; read < MAX_ROWS; read += rows) await readToTheEnd(home, rows);
}

async function readToTheEnd(home: string, rows: number): Promise<void> {
  const runtime = createRuntime(home);
  let cursor: string | undefined;
  let seen = 0;
  while (seen < rows) {
    const params = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const reply = await execute(async () => invocation(params), runtime);
    if (reply.kind !== 'value') throw new Error(`the list returned ${reply.kind}`);
    const { count, next_cursor } = reply.data as { count: number; next_cursor: string | null };
    JSON.stringify(envelope(reply));
    seen += count;
    if (next_cursor === null) return;
    cursor = next_cursor;
  }
}

function invocation(params: Readonly<Record<string, unknown>>) {
  return {
    command: listCommand,
    params,
    fields: ['seq', 'at', 'command', 'exit_code'],
    dryRun: false,
    confirm: undefined,
    dangerous: false,
    continueOnError: undefined,
    requestId: undefined,
  };
}

function createRuntime(home: string): Runtime {
  return {
    tool: createTool({ name: 'deed', version: '0.0.0', description: 'a benchmark' }),
    table: createTable({}),
    system: { ...processSystem(), env: { DEED_HOME: home } },
    gate: 'token',
    signal: new AbortController().signal,
    progress: () => undefined,
    warn: (message) => {
      throw new Error(message);
    },
    onForcedExit: () => undefined,
    notices: async () => [],
  };
}
