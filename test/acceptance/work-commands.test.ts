import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deed } from '../fixtures/run-deed.ts';
import { createBench, item, shells, type WorkBench } from '../fixtures/work-bench.ts';

interface Result {
  readonly run_id: string;
  readonly output_hash: string;
  readonly receipt_path: string;
}

describe('deed work', () => {
  let bench: WorkBench;
  let job: string;
  let first: Result;
  let broken: string;
  beforeAll(() => {
    bench = createBench();
    const { envelope } = bench.work(
      [item('make', 'echo x > made.txt; echo more >> a.txt', { test_command: 'test -e made.txt' })],
      '--root',
      bench.tree,
    );
    job = envelope.data.job_id as string;
    first = envelope.data.results[0] as Result;
    broken = bench.work([item('broken', 'echo oops; exit 7')]).envelope.error?.details.run_id as string;
  });
  afterAll(() => bench.dispose());

  describe('run', () => {
    it('shows what each item would do in a dry run, and runs nothing', () => {
      const { preview } = bench.deed([
        'work',
        'run',
        bench.plan([item('p', 'echo x > never.txt', { test_command: 'true', approval: true })]),
        '--dry-run',
      ]).envelope.data;
      expect(preview.changes).toEqual([
        {
          action: 'run',
          resource: 'work item',
          id: 'p',
          after: {
            agent_id: 'agent-1',
            description: 'echo x > never.txt',
            level: 0,
            root: bench.tree,
            limits: { max_files: 10, max_tool_ops: 50, max_delta_size: 100, timeout_ms: 300_000 },
            isolation: expect.stringMatching(/^(?:bubblewrap|namespace|landlock)$/u),
            program: '/bin/sh',
            network: true,
            read_paths: expect.any(Array),
            write_paths: [bench.gate],
            test_command: 'true',
            approval: true,
          },
          version: expect.stringMatching(/^[0-9a-f]{16}$/u),
        },
      ]);
      expect(existsSync(join(bench.tree, 'never.txt'))).toBe(false);
    });

    it('needs a token, which is valid only for this plan and these agents', () => {
      const plan = bench.plan([item('p', 'true')]);
      expect(bench.deed(['work', 'run', '--file', plan]).code).toBe(5);
      const token = bench.deed(['work', 'run', plan, '--dry-run']).envelope.data.confirm_token as string;
      writeFileSync(plan, JSON.stringify([item('p', 'echo other')]));
      expect(bench.deed(['work', 'run', plan, '--confirm', token]).envelope.error?.code).toBe('E_CONFLICT');
    });

    it('returns the first result for a repeated request id', () => {
      const plan = bench.plan([item('again', 'echo x >> counted.txt')]);
      const argv = ['work', 'run', plan, '--request-id', 'same'];
      const token = bench.deed([...argv, '--dry-run']).envelope.data.confirm_token as string;
      const once = bench.deed([...argv, '--confirm', token]).envelope.data;
      expect(bench.deed([...argv, '--confirm', token]).envelope.data).toEqual({ ...once, replayed: true });
      expect(bench.read('counted.txt')).toBe('x\n');
    });

    it.each([
      ['neither a plan nor a job', [], 'E_VALIDATION'],
      ['both a plan and a job', ['plan.json', '--resume', 'job_0'], 'E_VALIDATION'],
      ['an unknown plan file', ['nope.yaml'], 'E_NOT_FOUND'],
      ['an unknown job', ['--resume', 'job_000000000000000000000000'], 'E_NOT_FOUND'],
      ['a job whose id is a path', ['--resume', '../../etc'], 'E_NOT_FOUND'],
      ['too many parallel jobs', ['x', '--jobs', '65'], 'E_VALIDATION'],
      ['both --stream and --detach', ['x', '--stream', '--detach'], 'E_VALIDATION'],
    ])('rejects %s', (_, words, code) => {
      expect(bench.deed(['work', 'run', ...words, '--dry-run']).envelope.error?.code).toBe(code);
    });

    it('rejects an unknown agent before anything runs', () => {
      const { error } = bench.deed([
        'work',
        'run',
        bench.plan([item('p', 'true', { agent_id: 'agnet-1' })]),
        '--dry-run',
      ]).envelope;
      expect([error?.code, error?.message]).toEqual(['E_CONFIG', 'Unknown agent: "agnet-1".']);
    });

    it('ignores agents of an untrusted folder, and uses them once it is trusted', () => {
      const other = createBench({ 'work.agents': {} });
      try {
        other.write('.deed.json', JSON.stringify({ 'work.agents': shells() }));
        const plan = other.plan([item('p', 'echo x > p.txt')]);
        expect(other.deed(['work', 'run', plan, '--dry-run']).envelope.error?.code).toBe('E_CONFIG');
        expect(other.confirmed('config', 'trust', '.').code).toBe(0);
        expect(other.confirmed('work', 'run', plan).code).toBe(0);
      } finally {
        other.dispose();
      }
    });

    it('returns the whole result in the details of an error', () => {
      const { error } = bench.work([item('b', 'echo x > q.txt; exit 3')]).envelope;
      expect(error).toMatchObject({
        code: 'E_AGENT_FAILED',
        message: '"b": The agent failed: exit code 3',
        details: {
          status: 'failure',
          item_id: 'b',
          error: 'The agent failed: exit code 3',
          created_files: [],
          results: [{ item_id: 'b' }],
        },
      });
    });
  });

  it('status, result, list and show describe a job and its runs', () => {
    expect(bench.deed(['work', 'status', job]).envelope.data).toMatchObject({
      job_id: job,
      status: 'succeeded',
      progress: 1,
      items: [{ item_id: 'make', run_id: first.run_id, status: 'success' }],
      resume: null,
    });
    const detailed = bench.deed(['work', 'status', job, '--detail']).envelope.data;
    expect(detailed.root).toBe(bench.tree);
    expect(detailed.items).toEqual([
      {
        item_id: 'make',
        run_id: first.run_id,
        status: 'success',
        agent_id: 'agent-1',
        title: expect.any(String),
        dependencies: [],
        started_at: expect.any(String),
        ended_at: expect.any(String),
        decided_at: null,
        agent_ms: expect.any(Number),
        tests_ms: expect.any(Number),
        cost_usd: null,
        rolled_back: false,
      },
    ]);
    expect(bench.deed(['work', 'result', job]).envelope.data.results[0]).toEqual(first);
    const page = bench.deed(['work', 'list', '--job', job, '--limit', '1']).envelope.data;
    expect(page.items).toEqual([
      {
        run_id: first.run_id,
        job_id: job,
        item_id: 'make',
        agent_id: 'agent-1',
        phase: 'tranche',
        status: 'success',
        root: bench.tree,
        at: expect.any(String),
        files: 2,
      },
    ]);
    expect(bench.deed(['work', 'show', first.run_id]).envelope.data).toMatchObject({
      status: 'success',
      changes: [
        { path: 'a.txt', action: 'modify' },
        { path: 'made.txt', action: 'create' },
      ],
      budget: { within_estimate: true },
      result: { output_hash: first.output_hash },
    });
    expect(bench.deed(['work', 'show', broken]).envelope.data).toMatchObject({ status: 'failure' });
    expect(first.run_id).toMatch(/^run_[0-9a-z]{13}$/u);
    for (const id of [first.run_id.slice(0, -1), first.run_id.slice('run_'.length, -1)])
      expect(bench.deed(['work', 'show', id]).envelope.data.run_id).toBe(first.run_id);
  });

  it('list pages through every run once, newest first', () => {
    const seen: string[] = [];
    let cursor: string[] = [];
    for (;;) {
      const page = bench.deed(['work', 'list', '--limit', '2', ...cursor]).envelope.data;
      seen.push(...(page.items as Result[]).map(({ run_id }) => run_id));
      if (!page.has_more) break;
      cursor = ['--cursor', page.next_cursor as string];
    }
    expect(seen).toEqual([...new Set(seen)].sort().toReversed());
    expect(bench.deed(['work', 'list', '--format', 'raw', '--limit', '1000']).stdout).toBe(
      seen.map((id) => `${id}\n`).join(''),
    );
  });

  it.each([
    ['status', 'job_000000000000000000000000'],
    ['result', 'job_000000000000000000000000'],
    ['show', 'run_000000000000000000000000'],
    ['show', '../chain.jsonl'],
    ['replay', 'run_000000000000000000000000'],
  ])('%s of an unknown id is E_NOT_FOUND (%s)', (verb, id) => {
    expect(bench.deed(['work', verb, '--id', id]).envelope.error?.code).toBe('E_NOT_FOUND');
  });

  it('graph renders a plan and a job', () => {
    const plan = bench.plan([item('x', 'a'), item('y', 'b', { dependencies: ['x'] })]);
    expect(bench.deed(['work', 'graph', plan, '--format', 'raw']).stdout).toBe(
      'Level 0\n  x (agent-1)\nLevel 1\n  y (agent-1) ← x\n',
    );
    expect(bench.deed(['work', 'graph', '--file', plan, '--as', 'svg', '--format', 'raw']).stdout).toMatch(
      /^<svg /u,
    );
    const yaml = bench.plan(
      '- id: x\n  agent_id: agent-1\n  description: |\n    echo x\n- {id: y, agent_id: agent-2, description: z, dependencies: [x]}\n',
    );
    expect(bench.deed(['work', 'graph', yaml]).envelope.data.levels).toEqual([['x'], ['y']]);
    expect(bench.deed(['work', 'graph', '--id', job, '--as', 'mermaid']).envelope.data.graph).toContain(
      'make<br/>agent-1 · success',
    );
    expect(
      bench.deed(['work', 'graph', bench.plan([item('x', 'a', { dependencies: ['y'] })])]).envelope.error
        ?.code,
    ).toBe('E_VALIDATION');
  });

  it('graph takes a job id, or a unique prefix of it, where it takes a plan', () => {
    const shown = bench.deed(['work', 'graph', '--id', job, '--format', 'raw']).stdout;
    expect(shown).toContain('make (agent-1) [success]');
    for (const given of [job, job.slice(0, -1)]) {
      expect(bench.deed(['work', 'graph', given, '--format', 'raw']).stdout).toBe(shown);
    }
    const unknown = bench.deed(['work', 'graph', 'job_0000000000000']).envelope;
    expect(unknown.error).toMatchObject({
      code: 'E_NOT_FOUND',
      message: 'Unknown job: "job_0000000000000".',
    });
    const both = bench.deed(['work', 'graph', job, '--id', job]).envelope;
    expect(both.error?.code).toBe('E_VALIDATION');
  });

  it('graph reads an existing file even if its name looks like a job id', () => {
    const plan = readFileSync(bench.plan([item('x', 'a')]), 'utf8');
    const name = 'job_0000000000001';
    writeFileSync(join(bench.tree, name), plan);
    try {
      expect(bench.deed(['work', 'graph', name]).envelope.data.levels).toEqual([['x']]);
    } finally {
      rmSync(join(bench.tree, name));
    }
  });

  it('replay repeats a run without changing the tree', () => {
    const seen = bench.readTree();
    const { data } = bench.deed(['work', 'replay', first.run_id]).envelope;
    expect(data).toMatchObject({
      matches: true,
      expected_hash: first.output_hash,
      actual_hash: first.output_hash,
    });
    expect(['exact', 'apply']).toContain(data.grade);
    expect(bench.readTree()).toEqual(seen);
    expect(bench.deed(['work', 'replay', '--id', broken]).envelope.error?.code).toBe('E_CONFLICT');
  });

  it('replay reports a run with a different result', () => {
    const { run_id } = bench.work([item('random', 'head -c 8 /dev/urandom | od -An -tx1 > random.txt')])
      .envelope.data.results[0] as Result;
    const { data } = bench.deed(['work', 'replay', run_id]).envelope;
    expect(data.grade).toBe('apply');
    expect(data.divergence ?? 'random.txt').toContain('random.txt');
  });

  it('rollback rolls a run back once, and fails if its files were changed since', () => {
    const made = bench.work([item('undo', 'echo u > u.txt')]).envelope.data.results[0] as Result;
    const seen = bench.readTree();
    bench.write('u.txt', 'mine\n');
    const rejected = bench.confirmed('work', 'rollback', made.run_id);
    expect(rejected.envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      message: `u.txt changed since run "${made.run_id}"; nothing was written.`,
      details: { paths: ['u.txt'], hint: expect.stringContaining(`"deed work diff ${made.run_id}"`) },
    });
    expect(bench.read('u.txt')).toBe('mine\n');
    bench.write('u.txt', 'u\n');
    expect(bench.readTree()).toEqual(seen);
    const done = bench.confirmed('work', 'rollback', '--id', made.run_id);
    expect(done.envelope.data).toMatchObject({ rolled_back: made.run_id, files: ['u.txt'] });
    expect(existsSync(join(bench.tree, 'u.txt'))).toBe(false);
    expect(
      bench.deed(['receipt', 'show', done.envelope.data.run_id as string]).envelope.data.receipt,
    ).toMatchObject({
      phase: 'rollback',
      status: 'rolled_back',
      rolls_back: made.run_id,
    });
    const shown = bench.deed(['work', 'show', made.run_id]).envelope.data;
    expect(shown).toMatchObject({ status: 'success', rolled_back: true });
    const job = bench.deed(['work', 'status', shown.job_id as string, '--detail']).envelope.data;
    expect(job.items).toMatchObject([{ item_id: 'undo', status: 'success', rolled_back: true }]);
    expect(bench.confirmed('work', 'rollback', made.run_id).envelope.error?.code).toBe('E_CONFLICT');
    expect(bench.deed(['work', 'rollback', broken, '--dry-run']).envelope.error?.code).toBe('E_CONFLICT');
  });

  it('recover ignores a job that was killed before its first record', () => {
    const id = `job_${'0'.repeat(24)}`;
    mkdirSync(join(bench.home, 'jobs', id), { recursive: true, mode: 0o700 });
    expect(bench.confirmed('work', 'recover').envelope.error).toBeUndefined();
    expect(bench.deed(['work', 'status', id]).envelope.error?.code).toBe('E_NOT_FOUND');
    rmSync(join(bench.home, 'jobs', id), { recursive: true });
  });

  it('recover reports nothing if no run was interrupted', () => {
    expect(bench.confirmed('work', 'recover').envelope.data).toEqual({
      recovered: [],
      journalled: [],
      promoted: [],
      repaired: [],
      damaged: [],
    });
  });

  it('gc deletes old temporary files and locks of killed processes, but no recent ones', () => {
    const create = (path: string, ageS: number): string => {
      const full = join(bench.home, path);
      mkdirSync(dirname(full), { recursive: true, mode: 0o700 });
      writeFileSync(full, '{', { mode: 0o600 });
      const then = Date.now() / 1000 - ageS;
      utimesSync(full, then, then);
      return full;
    };
    const snapshot = `work/snapshots/${'0'.repeat(32)}.json`;
    const old = [
      `outbox/${first.run_id}.json.a-1.tmp`,
      `jobs/${job}/job.json.a-1.tmp`,
      `${snapshot}.a-1.tmp`,
      'work/objects/x.pack.a-1.tmp',
    ].map((path) => create(path, 172_800));
    const recent = [
      `outbox/${first.run_id}.json.b-2.tmp`,
      `${snapshot}.b-2.tmp`,
      'work/manifests/x.b-2.tmp',
    ].map((path) => create(path, 0));
    const lock = create(`work/workspaces/${first.run_id}.lock`, 0);
    expect(bench.confirmed('work', 'gc').envelope.error).toBeUndefined();
    expect([...old, lock].filter((path) => existsSync(path))).toEqual([]);
    expect(recent.filter((path) => !existsSync(path))).toEqual([]);
    for (const path of recent) rmSync(path);
  });

  it('replay leaves nothing behind, and gc deletes the state of trees that were not used for a month', () => {
    const stored = (): string[] =>
      ['trees', 'snapshots', 'workspaces', ''].flatMap((name) => readdirSync(join(bench.home, 'work', name)));
    const before = stored();
    expect(bench.deed(['work', 'replay', first.run_id]).envelope.data.matches).toBe(true);
    expect(stored()).toEqual(before);
    const trees = join(bench.home, 'work/trees');
    const [used = ''] = readdirSync(trees);
    for (const [name, ageDays] of [
      ['old', 31],
      ['recent', 29],
    ] as const) {
      mkdirSync(join(trees, name), { mode: 0o700 });
      for (const file of ['epoch.json', 'stats']) {
        copyFileSync(join(trees, used, file), join(trees, name, file));
        const then = Date.now() / 1000 - ageDays * 86_400;
        utimesSync(join(trees, name, file), then, then);
      }
    }
    expect(bench.confirmed('work', 'gc').envelope.error).toBeUndefined();
    expect(readdirSync(trees).filter((name) => /old|recent/u.test(name))).toEqual(['recent']);
    rmSync(join(trees, 'recent'), { recursive: true });
  });

  it('gc keeps everything that a receipt or a recent replay needs, and deletes the rest', () => {
    expect(bench.confirmed('work', 'gc').envelope.error).toBeUndefined();
    expect(bench.deed(['work', 'replay', first.run_id]).envelope.data.matches).toBe(true);
    expect(bench.deed(['receipt', 'verify']).code).toBe(0);
    const deleted = bench.confirmed('work', 'gc', '--keep-days', '0').envelope.data;
    expect(deleted).toMatchObject({ kept_runs: 0 });
    expect(deleted.packs).toBeGreaterThan(0);
    expect(bench.deed(['receipt', 'verify']).code).toBe(0);
    expect(bench.deed(['work', 'replay', first.run_id]).envelope.error?.code).toMatch(
      /E_DAMAGED|E_NOT_FOUND/u,
    );
    expect(bench.deed(['work', 'gc', '--keep-days', '-1', '--dry-run']).envelope.error?.code).toBe(
      'E_VALIDATION',
    );
  });

  it('doctor reports how runs are isolated', () => {
    const { checks } = bench.deed(['doctor']).envelope.data as {
      checks: { check: string; message: string }[];
    };
    expect(checks.find(({ check }) => check === 'workspace')?.message).toMatch(
      /^Runs use (?:an overlay|a copy), confined by \w+\./u,
    );
  });

  describe('receipt', () => {
    it('show returns the receipt, its envelope and the key', () => {
      const { data } = bench.deed(['receipt', 'show', first.run_id]).envelope;
      expect(data.receipt).toMatchObject({
        run_id: first.run_id,
        status: 'success',
        after_hash: first.output_hash,
      });
      expect(data.public_key).toContain('BEGIN PUBLIC KEY');
      const byOwnId = bench.deed(['receipt', 'show', '--id', data.receipt.id as string, '--format', 'raw']);
      expect(JSON.parse(byOwnId.stdout)).toEqual(data.envelope);
      const byPrefix = bench.deed(['receipt', 'show', (data.receipt.id as string).slice(0, 13)]);
      expect(byPrefix.envelope.data).toEqual(data);
      expect(bench.deed(['receipt', 'show', 'nope']).envelope.error?.code).toBe('E_NOT_FOUND');
    });

    it('list follows the chain backwards', () => {
      const all = bench.deed(['receipt', 'list', '--limit', '1000']).envelope.data.items as {
        receipt_hash: string;
        previous_receipt_hash: string;
      }[];
      for (const [index, line] of all.slice(0, -1).entries())
        expect(line.previous_receipt_hash).toBe(all[index + 1]?.receipt_hash);
      const page = bench.deed(['receipt', 'list', '--limit', '1', '--status', 'success']).envelope.data;
      expect([page.count, page.has_more]).toEqual([1, true]);
      expect(
        bench.deed([
          'receipt',
          'list',
          '--limit',
          '1',
          '--status',
          'success',
          '--cursor',
          page.next_cursor as string,
        ]).envelope.data.items[0],
      ).not.toEqual(page.items[0]);
      expect(bench.deed(['receipt', 'list', '--cursor', 'x']).envelope.error?.code).toBe('E_VALIDATION');
    });

    it('verify accepts unchanged files and reports changed ones', () => {
      expect(bench.deed(['receipt', 'verify', first.run_id]).envelope.data).toEqual({
        checked: 1,
        valid: true,
      });
      const log = join(first.receipt_path, '../test.log');
      const kept = readFileSync(first.receipt_path);
      chmodSync(first.receipt_path, 0o600);
      writeFileSync(
        first.receipt_path,
        kept.toString().replace('"status": "success"', '"status": "failure"'),
      );
      const run = bench.deed(['receipt', 'verify', '--id', first.run_id]);
      expect([run.code, run.envelope.error?.code]).toEqual([1, 'E_DAMAGED']);
      expect(run.envelope.error?.message).toContain('RECEIPT.json');
      writeFileSync(first.receipt_path, kept);
      appendFileSync(log, 'x');
      expect(bench.deed(['receipt', 'verify']).envelope.error?.details.problems).toEqual([
        { run_id: first.run_id, file: 'test.log', problem: 'was changed' },
      ]);
      writeFileSync(log, '');
      expect(bench.deed(['receipt', 'verify']).code).toBe(0);
    });
  });

  describe('rejects a tree where no run may work', () => {
    it.each([
      ['a folder without git', 'plain', 'E_VALIDATION'],
      ['a bare repository', 'bare.git', 'E_VALIDATION'],
      ['the home folder', 'home', 'E_PROTECTED'],
      ['a tree inside the deed home', 'home/inner', 'E_PROTECTED'],
      ['the root folder', '/', undefined],
    ])('%s', (_, place, code) => {
      const root = place.startsWith('/') ? place : join(bench.tree, '..', place);
      if (place === 'plain') mkdirSync(root, { recursive: true });
      if (place === 'home/inner') bench.git('init', '-q', root);
      if (place === 'bare.git') bench.git('init', '-q', '--bare', root);
      const account = join(bench.tree, '../home');
      if (place === 'home') bench.git('init', '-q', account);
      const run = deed(['work', 'run', bench.plan([item('p', 'true')]), '--root', root, '--dry-run'], {
        home: bench.home,
        cwd: bench.tree,
        env: { HOME: account },
      });
      if (code === undefined) expect(['E_VALIDATION', 'E_PROTECTED']).toContain(run.envelope.error?.code);
      else expect(run.envelope.error?.code).toBe(code);
      if (place === 'home') rmSync(join(account, '.git'), { recursive: true });
    });

    it('resolves a link to the tree', () => {
      const link = join(bench.tree, '../link');
      symlinkSync(bench.tree, link);
      const run = bench.work([item('linked', 'echo x > linked.txt')], '--root', link);
      expect(run.envelope.data.root).toBe(bench.tree);
      expect(bench.read('linked.txt')).toBe('x\n');
    });
  });
});
