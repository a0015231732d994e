import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  connectHttp,
  connectStdio,
  foreignClient,
  startHttp,
  type HttpServer,
} from '../fixtures/mcp-client.ts';
import type { Envelope } from '../fixtures/run-deed.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

let bench: WorkBench;
let server: HttpServer | undefined;
const foreign = { current: foreignClient() };

beforeEach(() => {
  bench = createBench();
  foreign.current = foreignClient('planner');
});

afterEach(async () => {
  await foreign.current.client.close();
  await server?.stop();
  server = undefined;
  bench.dispose();
});

it.each(['stdio', 'http'])(
  'a foreign client finds, plans, confirms, runs, reads and proves a whole plan over %s',
  async (transport) => {
    if (transport === 'stdio') await connectStdio(foreign.current, bench.home, bench.tree);
    else await connectHttp(foreign.current, (server = await startHttp(bench.home, bench.tree)));
    const { client, call } = foreign.current;
    const write = (more: Record<string, unknown>): Promise<Envelope> =>
      call('call-write', { command: 'work run', ...more });

    // What the client knows at first is that there are four tools.
    const found = await call('find', { query: 'run a plan of work items' });
    expect(found.data.commands[0]).toMatchObject({ command: 'work run', gate: 'confirm' });
    const described = await call('describe', { command: 'work run' });
    expect(described.data).toMatchObject({ call_with: 'call-write', gate: 'confirm' });
    expect(JSON.stringify(described.data)).toContain('"file"');

    const before = bench.readTree();
    const file = bench.plan([
      item('docs', 'echo text > docs.md'),
      item('greedy', 'for n in 1 2 3; do echo $n > g$n; done', { constraints: { max_files: 2 } }),
      item('after', 'cat docs.md docs.md > twice.md', {
        dependencies: ['docs'],
        test_command: 'test -s twice.md',
      }),
    ]);
    const refused = await write({ parameters: { file } });
    expect(refused.error?.code).toBe('E_CONFIRMATION_REQUIRED');
    const preview = await write({ parameters: { file }, dry_run: true });
    expect(preview.data.preview.changes).toHaveLength(3);
    expect(bench.readTree()).toEqual(before);
    const confirm = preview.data.confirm_token as string;
    const other = await write({ parameters: { file, jobs: 4 }, confirm });
    expect(other.ok).toBe(false);

    const ran = await write({ parameters: { file }, confirm });
    // One item was denied, so the job as a whole is told as that, with every result beside it.
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
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['deed://runs', 'deed://receipts']),
    );
    const { contents } = await client.readResource({ uri: `deed://receipts/${runOf('after')}` });
    const [content] = contents as { text: string }[];
    expect((JSON.parse(content?.text ?? '') as Envelope).data.receipt.status).toBe('success');
    const verified = await call('call-read', { command: 'receipt verify' });
    expect(verified.data.valid).toBe(true);
    const replayed = await call('call-read', { command: 'work replay', parameters: { id: runOf('docs') } });
    expect(replayed.data.matches).toBe(true);
  },
);
