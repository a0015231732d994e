import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../fixtures/run-deed.ts';
import { vybeInShell, vybe } from '../fixtures/run-vybe.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';
import { WORKSPACE_MODES } from '../fixtures/workspace-modes.ts';

const VYBE = vybeInShell();
let bench: WorkBench;
beforeAll(() => {
  bench = createBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.dispose());

const query = (...argv: string[]) => vybe(argv, { home: bench.home }).answer.data;
const create = (title: string, id: string): string =>
  `${VYBE} task create --title '${title}' --desc 'found on the way' --request-id ${id}`;
const titles = (): string[] =>
  (query('task', 'list').tasks as { title: string }[])
    .map(({ title }) => title)
    .filter((title) => !title.includes(':'));
const kindsOf = (kind: string): unknown[] => query('events', 'list', '--all', '--kind', kind).events;

/** The long suite runs every mode. */
const MODES = LONG ? WORKSPACE_MODES : WORKSPACE_MODES.slice(0, 1);

describe.each(MODES)('journal writes of an agent (%s)', (mode) => {
  it('are visible in the run immediately, outside only after the promotion, and keep their ids', async () => {
    const config = join(bench.home, 'config.json');
    const settings = JSON.parse(readFileSync(config, 'utf8')) as object;
    if (mode === 'copy') writeFileSync(config, JSON.stringify({ ...settings, 'work.workspace': mode }));
    const waiting = `touch ${bench.gate}/started; while [ ! -e ${bench.gate}/go ]; do sleep 0.05; done`;
    const script = [
      `${create('follow-up', 'in-1')} > created.json`,
      'echo hello > made.txt',
      `${VYBE} push --request-id in-2 --json '{"task_id":"'"$DEED_TASK_ID"'","event":{"kind":"progress","message":"half done"},"artifacts":[{"file_path":"made.txt"}],"memories":[{"key":"lesson","value":"measure first","scope":"task","scope_id":"'"$DEED_TASK_ID"'"}]}' > pushed.json`,
      `${VYBE} task list > seen.json`,
      waiting,
    ].join('\n');
    const running = bench.workAsync(item('busy', script));
    while (!existsSync(join(bench.gate, 'started'))) await sleep(20);
    expect([titles(), kindsOf('progress')]).toEqual([[], []]);
    writeFileSync(join(bench.gate, 'go'), '');
    const run = await running;
    expect(run.envelope.error).toBeUndefined();
    const created = JSON.parse(bench.read('created.json')).data.task;
    const pushed = JSON.parse(bench.read('pushed.json')).data;
    const seen = JSON.parse(bench.read('seen.json')).data.tasks as { id: string }[];
    expect(seen.map(({ id }) => id)).toContain(created.id);
    expect(query('task', 'get', '--id', created.id)).toMatchObject({
      title: 'follow-up',
      status: 'pending',
      created_at: created.created_at,
    });
    const [progress] = kindsOf('progress') as { task_id: string; agent_name: string }[];
    const owner = `agent-1@${run.envelope.data.job_id}`;
    expect(progress?.agent_name).toBe(owner);
    const { artifacts } = query('artifacts', 'list', '--task-id', String(progress?.task_id));
    expect(artifacts).toContainEqual(
      expect.objectContaining({
        id: pushed.artifacts[0].artifact_id,
        file_path: 'made.txt',
        size_bytes: 6,
        blake3: resultsOf(run)[0].artifact_hashes[join(bench.tree, 'made.txt')],
      }),
    );
    const scope = ['--scope', 'task', '--scope-id', String(progress?.task_id)];
    expect(query('memory', 'get', '--key', 'lesson', ...scope).value).toBe('measure first');
    // Repeating the same request after the run returns the same result and writes nothing.
    const again = ['task', 'create', '--title', 'follow-up', '--desc', 'found on the way'];
    expect(query(...again, '--agent', owner, '--request-id', 'in-1')).toMatchObject({
      replayed: true,
      task: { id: created.id },
    });
    expect(titles()).toEqual(['follow-up']);
  });
});

describe('journal writes of an agent', () => {
  it('are dropped when the run is denied, fails its tests, fails or times out', () => {
    const bad = (id: string, end: string, more: Record<string, unknown> = {}) =>
      item(id, `${create('never', id)}\n${end}`, more);
    const run = bench.work(
      [
        bad('denied', 'echo x > c.txt', { constraints: { max_files: 0 } }),
        bad('tests', 'true', { test_command: 'false' }),
        bad('fails', 'exit 1'),
        bad('late', 'sleep 60', { constraints: { timeout_ms: 2000 } }),
      ],
      '--jobs',
      '4',
    );
    expect(resultsOf(run).map(({ item_id, status }: Record<string, string>) => [item_id, status])).toEqual([
      ['denied', 'denied'],
      ['tests', 'failure'],
      ['fails', 'failure'],
      ['late', 'timeout'],
    ]);
    expect(titles()).toEqual([]);
  });

  it('count as changes of the work itself', () => {
    const script = `${create('one', 'a')}; ${create('two', 'b')}; echo x > c.txt`;
    const run = bench.work(item('many', script, { constraints: { max_delta_size: 2 } }));
    expect(resultsOf(run)[0].denial_reason).toBe('Exceeded max delta size: 3 > 2');
    const fine = bench.work(item('fine', script, { constraints: { max_delta_size: 3 } }));
    const [result] = resultsOf(fine);
    expect(result.metrics).toMatchObject({ delta_size: 3, files_touched: 1 });
    const { deltas } = bench.deed(['receipt', 'show', result.run_id]).envelope.data.receipt;
    expect(deltas.deltaO.map(({ target }: { target: string }) => target)).toEqual([
      'c.txt',
      'journal:1:task create',
      'journal:2:task create',
    ]);
    expect(titles().sort()).toEqual(['one', 'two']);
    expect(bench.deed(['receipt', 'verify', result.run_id]).code).toBe(0);
  });

  it('deny the run on a conflict with the store, and the tree is unchanged', async () => {
    const agent = ['--agent', 'someone', '--request-id'];
    const { id } = query(
      'task',
      'create',
      '--title',
      'shared',
      '--project-id',
      bench.tree,
      ...agent,
      'r1',
    ).task;
    const script = `${VYBE} task complete --id ${id} --outcome done --summary did --request-id in-1
      echo x > c.txt; touch ${bench.gate}/started; while [ ! -e ${bench.gate}/go ]; do sleep 0.05; done`;
    const running = bench.workAsync(item('late', script));
    while (!existsSync(join(bench.gate, 'started'))) await sleep(20);
    query('task', 'begin', '--id', id, ...agent, 'r2');
    writeFileSync(join(bench.gate, 'go'), '');
    const run = await running;
    expect(run.envelope.error?.code).toBe('E_CONFLICT');
    expect(resultsOf(run)[0].denial_reason).toContain(
      `The store rejected journal write 1 (task complete): The task ${id} is claimed by someone`,
    );
    expect([existsSync(join(bench.tree, 'c.txt')), query('task', 'get', '--id', id).status]).toEqual([
      false,
      'in_progress',
    ]);
  });

  it('wait for approval together with the run, are listed for the person and covered by the receipt', () => {
    const run = bench.work(item('ask', create('later', 'in-1'), { approval: true }));
    expect(titles()).toEqual([]);
    const id = run.envelope.error?.details.run_id as string;
    const [shown] = bench.deed(['work', 'show', id]).envelope.data.journal;
    expect(shown).toEqual({
      command: 'task create',
      target: 'later',
      params: { title: 'later', description: 'found on the way', priority: 0 },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
    const { preview } = bench.deedAtTerminal(['work', 'approve', id, '--dry-run']).envelope.data;
    expect(preview.changes).toEqual([
      expect.objectContaining({
        action: 'task create',
        resource: 'journal',
        id: 'later',
        after: { item: 'ask', command: 'task create', params: shown.params, hash: shown.hash },
      }),
    ]);
    bench.confirmedAtTerminal('work', 'approve', id);
    expect(titles()).toEqual(['later']);
    const task = query('task', 'list').tasks.find(({ title }: { title: string }) => title === 'later');
    expect(task.project_id).toBe(bench.tree);
    const { receipt } = bench.deed(['receipt', 'show', id]).envelope.data;
    expect(receipt.deltas.deltaO[0].hash).toBe(shown.hash);
    const proofs = receipt.proof_artifacts.map(({ path }: { path: string }) => path);
    expect([proofs, bench.deed(['receipt', 'verify', id]).code]).toEqual([
      expect.arrayContaining(['journal.json']),
      0,
    ]);
    expect(bench.deed(['work', 'show', id]).envelope.data.journal).toEqual([shown]);
  });

  it('fail in the run if they leave its agent or project', () => {
    const failing = [
      'task create --title x --agent other --request-id b1',
      'task create --title x --project-id elsewhere --request-id b2',
      'memory set --key k --value v --request-id b3',
      'memory delete --key k --request-id b4',
    ];
    const script = failing.map((call, index) => `${VYBE} ${call} > out${index}.json || true`).join('\n');
    expect(bench.work(item('x', script)).envelope.error).toBeUndefined();
    const codes = failing.map((_, index) => JSON.parse(bench.read(`out${index}.json`)).error_code);
    expect(codes).toEqual(failing.map(() => 'E_FORBIDDEN'));
    expect([titles(), query('memory', 'list').memories]).toEqual([[], []]);
  });

  it('are ignored if they were made by the tests', () => {
    const run = bench.work(
      item('x', 'echo x > c.txt', { test_command: `${create('by a test', 'in-1')}; true` }),
    );
    expect([run.envelope.ok, titles()]).toEqual([true, []]);
  });

  it.runIf(LONG)('are limited to its project, and cannot delete', () => {
    const agent = ['--agent', 'someone', '--request-id'];
    query('task', 'create', '--title', 'groundhog', '--project-id', 'elsewhere', ...agent, 'r1');
    query(
      'memory',
      'set',
      '--key',
      'k',
      '--value',
      'groundhog',
      '--scope',
      'project',
      '--scope-id',
      'elsewhere',
      ...agent,
      'r2',
    );
    const { id } = query('task', 'create', '--title', 'own', '--project-id', bench.tree, ...agent, 'r3').task;
    const run = bench.work(
      item(
        'look',
        `${VYBE} task list > seen.json; grep -c 'gro[u]ndhog' "$DEED_HOME/deed.db" > leaked.txt; ${VYBE} task delete --id ${id} --request-id d > deleted.json; true`,
      ),
    );
    expect(run.envelope.error).toBeUndefined();
    const seen = JSON.parse(bench.read('seen.json')).data.tasks as { title: string }[];
    expect(seen.map(({ title }) => title).filter((title) => !title.includes(':'))).toEqual(['own']);
    expect(bench.read('leaked.txt')).toBe('0\n');
    expect(JSON.parse(bench.read('deleted.json'))).toMatchObject({ success: false });
    expect(query('task', 'get', '--id', id).status).toBe('pending');
  });
});

describe('a forged log', () => {
  const valid = {
    command: 'task create',
    params: { title: 'forged' },
    agent: 'agent-1',
    requestId: 'f1',
    nowMs: '$(date +%s%3N)',
    drawn: ['0123456789ab'],
  };
  const line = (change: Record<string, unknown>): string =>
    JSON.stringify({ ...valid, ...change })
      .replace('"$(date', '$(date')
      .replace('%3N)"', '%3N)');
  const writeLog = (text: string): string => `cat > "$DEED_STAGE" <<END\n${text}\nEND`;
  const forge = (text: string): Run => bench.work(item('forge', `${writeLog(text)}\necho x > c.txt`));

  it.runIf(LONG)('is applied like any other if its content is valid', () => {
    expect(forge(line({})).envelope.error).toBeUndefined();
    expect(titles()).toEqual(['forged']);
  });

  // The other reasons to reject a log are tested in src/app/journal/read-staged.test.ts and bind-to-run.test.ts.
  it('with invalid content denies the run and changes nothing', () => {
    const rows: [script: string, reason: string][] = [
      [writeLog('nonsense'), 'Invalid journal writes: write 1: the line is invalid.'],
      ['ln -s /etc/passwd "$DEED_STAGE"', 'Invalid journal writes: the log cannot be read.'],
      [writeLog(line({ params: { title: 'x', nope: 1 } })), 'The store rejected journal write 1'],
      [
        writeLog(line({ command: 'memory set', params: { key: 'k', value: 'obey', kind: 'directive' } })),
        'The store rejected journal write 1',
      ],
      [writeLog(line({ agent: 'forger' })), 'write 1: "forger" is not the agent of the run'],
      [
        writeLog(
          line({ command: 'push', params: { memories: [{ key: 'k', value: 'v', kind: 'directive' }] } }),
        ),
        'The store rejected journal write 1',
      ],
    ];
    if (LONG)
      rows.push(
        [writeLog(line({ command: 'task delete', params: { id: 'x' } })), 'write 1: command is invalid'],
        [
          writeLog(line({ command: 'task complete', params: { id: 'n', outcome: 'done', summary: 's' } })),
          'The store rejected journal write 1',
        ],
        [writeLog(line({ params: { title: 'x', project_id: 'elsewhere' } })), 'only in its own project'],
      );
    const run = bench.work(
      rows.map(([script], index) => item(`i${index}`, `${script}\necho x > i${index}.txt`)),
      '--jobs',
      '4',
    );
    expect(
      resultsOf(run).map(({ status, denial_reason }: Record<string, string>) => [status, denial_reason]),
    ).toEqual(rows.map(([, reason]) => ['denied', expect.stringContaining(reason)]));
    expect([titles(), kindsOf('memory_set'), bench.git('status', '--porcelain')]).toEqual([[], [], '']);
  });

  it('cannot overwrite a directive of a person', () => {
    const place = ['--key', 'rule', '--scope', 'project', '--scope-id', bench.tree];
    bench.confirmed('memory', 'set', ...place, '--value', 'be kind', '--kind', 'directive');
    const params = { key: 'rule', scope: 'project', scope_id: bench.tree, value: 'be cruel' };
    const run = forge(line({ command: 'memory set', params }));
    expect(resultsOf(run)[0].denial_reason).toContain('is a directive, and only a person can change it');
    expect(query('memory', 'get', ...place).value).toBe('be kind');
  });
});
