import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDeed, waitFor, type Run } from '../fixtures/run-deed.ts';
import { vybe } from '../fixtures/run-vybe.ts';
import { createBench, item, resultsOf, shells, type WorkBench } from '../fixtures/work-bench.ts';
import { listSandboxes, workspaceCapabilities } from '../fixtures/workspace-modes.ts';

const LONG = process.env.DEED_TEST_LONG === '1';
const KILL_TIMEOUT_MS = 1_800_000;

/** Command lines of running processes with the environment variable of a run. */
function processesOf(runId: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
        return environment.includes(`DEED_RUN_ID=${runId}`)
          ? [readFileSync(`/proc/${pid}/cmdline`, 'latin1')]
          : [];
      } catch {
        return [];
      }
    });
}

describe('an agent that', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  let bench: WorkBench;
  let head: string;
  let run: Run;
  // One job for all of them, because each start of deed takes most of the time of a run.
  beforeAll(() => {
    bench = createBench({
      'work.disk_bytes': 8_000_000,
      'work.agents': {
        ...shells(),
        missing: { kind: 'command', argv: ['./no-such-program-here'] },
      },
    });
    head = bench.git('rev-parse', 'HEAD');
    writeFileSync(join(bench.gate, 'outside.txt'), 'unchanged\n');
    const outside = join(bench.tree, '../outside.txt');
    run = bench.work(
      [
        item('missing', 'true', { agent_id: 'missing' }),
        item(
          'fork',
          `setsid sh -c 'trap "" TERM HUP; sleep 0.3; echo late > late.txt; sleep 600' </dev/null >/dev/null 2>&1 & echo x > fork.txt`,
        ),
        item('fill', 'for n in 1 2 3 4 5 6; do head -c 4000000 /dev/zero > big$n; done; sleep 600'),
        item(
          'out',
          `echo x > ../outside.txt; ln -s .. up; echo x > up/outside.txt; echo x > ${outside}; rm up; echo in > in.txt`,
        ),
        // The file by which the sandbox reports a service that did not start.
        item('pipe', 'mkfifo /run/deed/service-failed; echo x > pipe.txt'),
        item('forged', `ln -s ${join(bench.home, 'config.json')} /run/deed/service-failed; exit 1`),
        item('link', `ln -s ${join(bench.gate, 'outside.txt')} pointer`),
        item('unlink', 'rm pointer; echo file > pointer', { dependencies: ['link'] }),
        item(
          'git',
          'echo broken > .git/HEAD; rm -rf .git/objects; echo evil > .git/hooks/pre-commit; echo x > git.txt',
        ),
        item('rm', 'rm -rf ./* .git', { constraints: { max_files: 1 } }),
        item('bytes', 'head -c 50000 /dev/urandom; head -c 50000 /dev/urandom >&2; echo x > bytes.txt', {
          test_command: 'head -c 1000 /dev/urandom',
        }),
        item(
          'leak',
          `echo ${secret}; echo '{"name":"login","input":{"token":"${secret}"}}' >> "$DEED_EVENTS"; echo x > leak.txt`,
          { test_command: `echo ${secret}` },
        ),
        item(
          'look',
          `ls ${bench.home}/keys ${bench.home}/runs > found.txt 2>/dev/null; printenv DEED_HOME >> found.txt; true`,
        ),
      ],
      '--jobs',
      '4',
    );
  });
  afterAll(() => bench.dispose());
  const resultOf = (id: string): Record<string, string> =>
    resultsOf(run).find(({ item_id }: { item_id: string }) => item_id === id);
  const codeOf = (id: string): string =>
    (JSON.parse(readFileSync(resultOf(id).receipt_path ?? '', 'utf8')) as { code: string }).code;

  it('does not exist fails, and changes nothing', () => {
    expect([resultOf('missing').status, codeOf('missing')]).toEqual(['failure', 'E_AGENT_FAILED']);
    // The message depends on whether this account may read every folder of its PATH.
    expect(resultOf('missing').error).toMatch(/was not found|cannot be executed/u);
  });

  it('forks and detaches is killed with all its processes, and its late writes are dropped', async () => {
    expect(resultOf('fork').status).toBe('success');
    expect(processesOf(resultOf('fork').run_id ?? '')).toEqual([]);
    await sleep(400);
    expect([existsSync(join(bench.tree, 'late.txt')), bench.read('fork.txt')]).toEqual([false, 'x\n']);
  });

  it('fills the disk is stopped', () => {
    expect([resultOf('fill').status, codeOf('fill')]).toEqual(['denied', 'E_DENIED']);
    expect(resultOf('fill').denial_reason).toMatch(/^Exceeded max disk bytes: \d+ > 8000000$/u);
  });

  it('writes outside the tree, by path or by link, has no effect there', () => {
    expect(resultOf('out').status).toBe('success');
    expect(bench.read('in.txt')).toBe('in\n');
    if (workspaceCapabilities.sandboxed) expect(existsSync(join(bench.tree, '../outside.txt'))).toBe(false);
  });

  it('puts a pipe or a link in the place of a report of the sandbox is not read through it', () => {
    if (!workspaceCapabilities.sandboxed) return;
    expect([resultOf('pipe').status, bench.read('pipe.txt')]).toEqual(['success', 'x\n']);
    expect(resultOf('forged').status).toBe('failure');
    expect(JSON.stringify(resultOf('forged'))).not.toContain('work.agents');
  });

  it('creates a link to a file outside promotes the link, and the file stays unchanged', () => {
    expect([resultOf('link').status, resultOf('unlink').status]).toEqual(['success', 'success']);
    const target = readFileSync(join(bench.gate, 'outside.txt'), 'utf8');
    expect([bench.read('pointer'), target]).toEqual(['file\n', 'unchanged\n']);
  });

  it('changes .git has no effect on the repository', () => {
    expect([resultOf('git').status, bench.read('git.txt')]).toEqual(['success', 'x\n']);
    expect([bench.git('rev-parse', 'HEAD'), existsSync(join(bench.tree, '.git/hooks/pre-commit'))]).toEqual([
      head,
      false,
    ]);
  });

  it('deletes everything is denied by its limits', () => {
    expect([codeOf('rm'), resultOf('rm').denial_reason]).toEqual(['E_DENIED', 'Exceeded max files: 2 > 1']);
    expect([bench.read('a.txt'), bench.read('b.txt')]).toEqual(['one\n', 'two\n']);
  });

  it('prints invalid UTF-8 still gets a receipt that verifies', () => {
    expect(resultOf('bytes').status).toBe('success');
    expect(bench.deed(['receipt', 'verify', resultOf('bytes').run_id ?? '']).code).toBe(0);
  });

  it('prints a secret has it redacted', () => {
    expect(resultOf('leak').status).toBe('success');
    const folder = join(bench.home, 'runs', resultOf('leak').run_id ?? '');
    const stored = readdirSync(folder).filter(
      (name) => name !== 'item.json' && readFileSync(join(folder, name), 'utf8').includes(secret),
    );
    expect([stored, run.stdout.includes(secret)]).toEqual([[], false]);
  });

  it.runIf(workspaceCapabilities.sandboxed)('looks for keys and data of deed finds none', () => {
    // The only home in its environment is its private one.
    expect(bench.read('found.txt')).toBe('/run/deed/home\n');
  });

  it('is denied or fails leaves no other file in the tree', () => {
    expect(Object.keys(bench.readTree()).sort()).toEqual(
      [
        'a.txt',
        'b.txt',
        'bytes.txt',
        'fork.txt',
        'found.txt',
        'git.txt',
        'in.txt',
        'leak.txt',
        'pipe.txt',
        'pointer',
      ].sort(),
    );
  });
});

describe('a repository', () => {
  let bench: WorkBench;
  beforeEach(() => {
    bench = createBench();
  });
  afterEach(() => bench.dispose());
  const expectWork = (): void => {
    const status = bench.git('status', '--porcelain');
    const run = bench.work(item('w', 'echo x > w.txt; rm -f gone.txt', { test_command: 'test -e w.txt' }));
    expect(run.envelope.error).toBeUndefined();
    expect(bench.git('status', '--porcelain').split('\n').sort()).toEqual(
      [...status.split('\n'), '?? w.txt'].sort(),
    );
    const { run_id } = run.envelope.data.results[0] as { run_id: string };
    expect(bench.confirmed('work', 'rollback', run_id).envelope.error).toBeUndefined();
    expect(bench.git('status', '--porcelain')).toBe(status);
  };

  it.runIf(LONG)('without files and commits supports work', () => {
    bench.git('rm', '-q', '--cached', '-r', '.');
    bench.git('update-ref', '-d', 'HEAD');
    expectWork();
  });

  it.runIf(LONG)('in the middle of a rebase supports work, and stays in that state', () => {
    bench.git('checkout', '-qb', 'side');
    bench.write('a.txt', 'side\n');
    bench.git('commit', '-qam', 'side');
    bench.git('checkout', '-q', 'main');
    bench.write('a.txt', 'main\n');
    bench.git('commit', '-qam', 'main');
    expect(() => bench.git('rebase', 'side')).toThrow();
    expectWork();
    expect(existsSync(join(bench.tree, '.git/rebase-merge'))).toBe(true);
  });

  // src/work/workspace/unusual-trees.test.ts tests filters and nested repositories too, in every kind of workspace.
  it.runIf(LONG)('with line ending and content filters is not filtered', () => {
    bench.write('.gitattributes', '*.txt text eol=crlf\n*.bin filter=lfs\n');
    bench.write('crlf.txt', 'a\r\nb\r\n');
    bench.write('x.bin', 'version https://git-lfs.github.com/spec/v1\n');
    expectWork();
    const run = bench.work(item('crlf', 'printf "c\\r\\n" >> crlf.txt; printf "plain\\n" > plain.txt'));
    expect(run.envelope.error).toBeUndefined();
    expect([bench.read('crlf.txt'), bench.read('plain.txt')]).toEqual(['a\r\nb\r\nc\r\n', 'plain\n']);
  });

  it.runIf(LONG)('with a nested repository keeps both intact', () => {
    mkdirSync(join(bench.tree, 'inner'));
    bench.git('init', '-q', 'inner');
    bench.write('inner/i.txt', 'inner\n');
    expectWork();
    const run = bench.work(item('inner', 'echo more >> inner/i.txt; echo broken > inner/.git/HEAD'));
    expect(run.envelope.error).toBeUndefined();
    expect([bench.read('inner/i.txt'), bench.read('inner/.git/HEAD').startsWith('ref:')]).toEqual([
      'inner\nmore\n',
      true,
    ]);
  });

  it('with staged and unstaged changes keeps its index', () => {
    bench.write('a.txt', 'staged\n');
    bench.git('add', 'a.txt');
    bench.write('b.txt', 'unstaged\n');
    expectWork();
  });

  it.runIf(LONG)('with spaces, quotes and newlines in file names supports work on them', () => {
    const run = bench.work(
      item(
        'names',
        `printf x > 'a b'; printf y > "quo'te"; printf z > "$(printf 'line\\nbreak')"; mkdir -p ünï/côdé; printf u > ünï/côdé/ß`,
      ),
    );
    expect(run.envelope.error).toBeUndefined();
    expect([
      bench.read('a b'),
      bench.read("quo'te"),
      bench.read('line\nbreak'),
      bench.read('ünï/côdé/ß'),
    ]).toEqual(['x', 'y', 'z', 'u']);
  });
});

interface Outcome {
  readonly run_id: string;
  readonly status: string;
}
const outcomeOf = ({ run_id, status }: Outcome): string => `${run_id} ${status}`;

/** Root needs to consent to Landlock. */
const CONFINED = (await listSandboxes()).map(({ isolation, mode }) => ({ isolation, mode }));
/** Kills per sandbox in the long suite; the ordinary suite makes a few on the first one. */
const KILLS = Number(process.env.DEED_TEST_KILLS ?? (LONG ? 200 : 3));

describe('deed killed with -9 at any moment', () => {
  it.each(LONG || KILLS > 3 ? CONFINED : CONFINED.slice(0, 1))(
    'with $isolation, $mode leaves the tree unchanged or fully promoted, receipt and journal agree, and no process is left',
    async ({ isolation, mode }) => {
      const bench = createBench({
        'work.isolation': isolation,
        'work.workspace': mode === 'copy' ? 'copy' : 'best',
        'work.allow_unsandboxed': isolation === 'landlock',
      });
      try {
        const rounds = KILLS;
        let promoted = 0;
        for (let round = 0; round < rounds; round += 1) {
          const before = bench.readTree();
          const plan = bench.plan(
            item(
              `kill-${round}`,
              `echo ${round} >> a.txt; echo ${round} > new-${round}.txt; rm -f new-${round - 1}.txt`,
            ),
          );
          const preview = bench.deed(['work', 'run', plan, '--dry-run']);
          const child = startDeed(
            ['work', 'run', plan, '--confirm', preview.envelope.data.confirm_token as string],
            { home: bench.home, cwd: bench.tree },
          );
          const ended = waitFor(child);
          await sleep((round * 700) / rounds);
          child.kill('SIGKILL');
          await ended;
          const interrupted = bench.deed(['work', 'list', '--status', 'lost']).envelope.data.items as {
            run_id: string;
          }[];
          // Two processes that recover at the same time do not interfere.
          const tokens = [1, 2].map(
            () => bench.deed(['work', 'recover', '--dry-run']).envelope.data.confirm_token as string,
          );
          const both = await Promise.all(
            tokens.map((token) => bench.deedAsync(['work', 'recover', '--confirm', token])),
          );
          // The later one may find nothing to recover, and then its token is for another state.
          const codes = both.map((run) => run.envelope.error?.code);
          expect(codes).toContain(undefined);
          const unexpected = both.flatMap(({ envelope: { error } }) =>
            error && error.code !== 'E_CONFLICT' ? [error] : [],
          );
          expect(unexpected).toEqual([]);
          // The kernel kills the remaining processes, which can take a moment on a busy machine.
          for (const { run_id } of interrupted) while (processesOf(run_id).length > 0) await sleep(20);
          const [last] = bench.deed(['work', 'list', '--limit', '1']).envelope.data.items as {
            item_id: string;
            status: string;
          }[];
          const done = last?.item_id === `kill-${round}` && last.status === 'success';
          if (done) promoted += 1;
          const { [`new-${round - 1}.txt`]: previous, ...rest } = before;
          const text = before['a.txt'] ?? '';
          expect(bench.readTree()).toEqual(
            done
              ? { ...rest, 'a.txt': `${text}${round}\n`, [`new-${round}.txt`]: `644 ${round}\n` }
              : { ...rest, ...(previous && { [`new-${round - 1}.txt`]: previous }) },
          );
        }
        expect(promoted).toBeLessThan(rounds);
        expect(bench.deed(['receipt', 'verify']).envelope.error).toBeUndefined();
        expect(bench.git('fsck', '--no-progress')).toBe('');
        const limit = ['--limit', String(rounds + 10)];
        const runs = bench.deed(['work', 'list', ...limit]).envelope.data.items as Outcome[];
        const recorded = vybe(['events', 'list', '--all', '--kind', 'run_ended', ...limit], bench);
        expect(
          recorded.answer.data.events
            .map(({ metadata }: { metadata: Outcome }) => outcomeOf(metadata))
            .sort(),
        ).toEqual(runs.map(outcomeOf).sort());
      } finally {
        bench.dispose();
      }
    },
    KILL_TIMEOUT_MS,
  );
});
