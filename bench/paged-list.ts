import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTool } from '../src/app/create-tool.ts';
import listCommand from '../src/commands/audit/list.ts';
import { execute, type Runtime } from '../src/contract/execute.ts';
import { createTable } from '../src/contract/table.ts';
import { envelope } from '../src/dialects/deed/envelope.ts';
import { processWorld } from '../src/heads/cli/world.ts';
import { fillAudit } from './fill-audit.ts';
import { measure, medianOf, type Case } from './measure.ts';
import type { Report, Row } from './report.ts';

const ROUNDS = 9;
const SIZES = [100, 1000, 10_000];
const PAGE = 100;

/** Reads lists of growing length to their end, page by page and with chosen fields; a row must not cost more in a longer list. */
export async function pagedList(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  try {
    const cases = SIZES.map((rows): Case => {
      const path = join(folder, String(rows));
      fillAudit(path, rows);
      return { name: String(rows), run: () => readToTheEnd(path, rows) };
    });
    const times = await measure(cases, ROUNDS);
    const perRow = (rows: number): number => medianOf(times, String(rows)) / rows;
    return [
      {
        title: 'Paged list',
        note: `Time for a row with --fields, in pages of ${PAGE}; ratio to a list of a tenth of the length: at most linear.`,
        rows: SIZES.map((rows, index): Row => {
          const shorter = SIZES[index - 1];
          const row = { name: `${rows} rows`, milliseconds: perRow(rows) };
          return shorter === undefined
            ? { ...row, ratio: 1 }
            : { ...row, ratio: perRow(rows) / perRow(shorter), target: 1.5 };
        }),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function readToTheEnd(home: string, rows: number): Promise<void> {
  const runtime = createRuntime(home);
  let cursor: string | undefined;
  let seen = 0;
  while (seen < rows) {
    const params = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const reply = await execute(async () => invocation(params), runtime);
    if (reply.kind !== 'value') throw new Error(`the list ended with ${reply.kind}`);
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
    world: { ...processWorld(), env: { DEED_HOME: home } },
    gate: 'token',
    signal: new AbortController().signal,
    progress: () => undefined,
    warn: (message) => {
      throw new Error(message);
    },
    lastWords: () => undefined,
    notices: () => [],
  };
}
