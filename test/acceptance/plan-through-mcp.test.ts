import { randomFillSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectHttp, connectStdio, independentClient, startHttp } from '../fixtures/mcp-client.ts';
import { confirmed, type Envelope } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

type McpClient = ReturnType<typeof independentClient>;
type Items = readonly Record<string, unknown>[];

const DOCS = item('docs', 'echo text > docs.md');

it.runIf(LONG).concurrent(
  'an MCP client finds, previews, confirms, runs and verifies a plan over stdio',
  async () => {
    const bench = createBench();
    const mcp = independentClient('planner');
    try {
      await connectStdio(mcp, bench.home, bench.tree);
      const before = bench.readTree();
      const ran = await runPlan(mcp, bench, [
        DOCS,
        item('greedy', 'for n in 1 2 3; do echo $n > g$n; done', { constraints: { max_files: 2 } }),
        item('after', 'cat docs.md docs.md > twice.md', {
          dependencies: ['docs'],
          test_command: 'test -s twice.md',
        }),
      ]);
      // One item was denied, so the job fails with that code, with all results in the details.
      expect(ran.error?.code).toBe('E_DENIED');
      const results = ran.error?.details.results as { item_id: string; status: string; run_id: string }[];
      expect(results.map(({ item_id, status }) => [item_id, status])).toEqual(
        expect.arrayContaining([
          ['docs', 'success'],
          ['greedy', 'denied'],
          ['after', 'success'],
        ]),
      );
      expect(Object.keys(bench.readTree()).sort()).toEqual(
        [...Object.keys(before), 'docs.md', 'twice.md'].sort(),
      );
      const runOf = (id: string): string => results.find(({ item_id }) => item_id === id)?.run_id ?? '';
      await checkReceipt(mcp, runOf('after'));
      const replayed = await mcp.call('call-read', {
        command: 'work replay',
        parameters: { id: runOf('docs') },
      });
      expect(replayed.data.matches).toBe(true);
    } finally {
      await mcp.client.close();
      bench.dispose();
    }
  },
);

it('reads a large file about as fast for an MCP client as for a command', async () => {
  const bench = createBench();
  const mcp = independentClient('planner');
  const addLarge = (name: string): void =>
    writeFileSync(join(bench.tree, name), randomFillSync(Buffer.alloc(24 * 1024 * 1024)));
  const planFor = (id: string): string => bench.plan([item(id, `echo ${id} > ${id}.txt`)]);
  try {
    await connectStdio(mcp, bench.home, bench.tree);
    addLarge('one.bin');
    const call = { command: 'work run', parameters: { file: planFor('served') } };
    const preview = await mcp.call('call-write', { ...call, dry_run: true });
    const confirm = preview.data.confirm_token as string;
    const served = await mcp.call('call-write', { ...call, confirm });
    addLarge('two.bin');
    const own = { home: bench.home, cwd: bench.tree, ownProcess: true };
    const alone = confirmed(['work', 'run', planFor('alone')], own);
    expect([served.error, alone.envelope.error]).toEqual([undefined, undefined]);
    // It was twenty times slower, because a server hardly compiles.
    expect(served.meta.duration_ms).toBeLessThan(5 * alone.envelope.meta.duration_ms);
  } finally {
    await mcp.client.close();
    bench.dispose();
  }
});

// Calls over HTTP are also tested in mcp-serve.test.ts.
it.runIf(LONG).concurrent(
  'an MCP client finds, previews, confirms, runs and verifies a plan over http',
  async () => {
    const bench = createBench();
    const mcp = independentClient('planner');
    const server = await startHttp(bench.home, bench.tree);
    try {
      await connectHttp(mcp, server);
      const before = bench.readTree();
      const ran = await runPlan(mcp, bench, [DOCS]);
      const [result] = ran.data.results as { status: string; run_id: string }[];
      expect(result?.status).toBe('success');
      expect(Object.keys(bench.readTree()).sort()).toEqual([...Object.keys(before), 'docs.md'].sort());
      await checkReceipt(mcp, result?.run_id ?? '');
    } finally {
      await mcp.client.close();
      await server.stop();
      bench.dispose();
    }
  },
);

/** Finds the command, checks that it needs a confirmation for exactly these parameters, and runs the plan. */
async function runPlan({ call }: McpClient, bench: WorkBench, items: Items): Promise<Envelope> {
  const write = (more: Record<string, unknown>): Promise<Envelope> =>
    call('call-write', { command: 'work run', ...more });
  // The client starts with only four tools.
  const found = await call('find', { query: 'run a plan of work items' });
  expect(found.data.commands[0]).toMatchObject({ command: 'work run', gate: 'confirm' });
  const described = await call('describe', { command: 'work run' });
  expect(described.data).toMatchObject({ call_with: 'call-write', gate: 'confirm' });
  expect(JSON.stringify(described.data)).toContain('"file"');

  const before = bench.readTree();
  const file = bench.plan(items);
  const refused = await write({ parameters: { file } });
  expect(refused.error?.code).toBe('E_CONFIRMATION_REQUIRED');
  const preview = await write({ parameters: { file }, dry_run: true });
  expect(preview.data.preview.changes).toHaveLength(items.length);
  expect(bench.readTree()).toEqual(before);
  const confirm = preview.data.confirm_token as string;
  const other = await write({ parameters: { file, jobs: 4 }, confirm });
  expect(other.error?.code).toBe('E_CONFLICT');
  return write({ parameters: { file }, confirm });
}

async function checkReceipt({ client, call }: McpClient, runId: string): Promise<void> {
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(['deed://runs', 'deed://receipts']));
  const { contents } = await client.readResource({ uri: `deed://receipts/${runId}` });
  const [content] = contents as { text: string }[];
  expect((JSON.parse(content?.text ?? '') as Envelope).data.receipt.status).toBe('success');
  const verified = await call('call-read', { command: 'receipt verify' });
  expect(verified.data.valid).toBe(true);
}
