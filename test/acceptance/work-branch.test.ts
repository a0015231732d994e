import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { blake3Hex } from '../../src/system/blake3.ts';
import { createBench, item, shells, type WorkBench } from '../fixtures/work-bench.ts';
import { LONG } from '../fixtures/start-node.ts';

/** All points of the long version take minutes. */
const KILL_TIMEOUT_MS = LONG ? 1_800_000 : 240_000;

let bench: WorkBench;
beforeAll(() => {
  bench = createBench();
  bench.git('config', 'user.name', 'Ada');
  bench.git('config', 'user.email', 'ada@example.org');
});
afterAll(() => bench.dispose());

/** Everything that a person sees of a checkout: HEAD, index, files, settings. */
function checkout(): unknown {
  return {
    head: bench.git('symbolic-ref', 'HEAD') + bench.git('rev-parse', 'HEAD'),
    index: bench.git('ls-files', '-s'),
    files: bench.readTree(),
    settings: readFileSync(join(bench.tree, '.git/config'), 'utf8'),
    worktrees: bench.git('worktree', 'list'),
  };
}

const tipOf = (branch: string): string => bench.git('rev-parse', branch).trim();
const receiptOf = (runId: string) => bench.deed(['receipt', 'show', runId]).envelope.data.receipt;

/** The documented hash of a git tree: its files with mode, size and BLAKE3, sorted by path. */
function hashOfTree(commit: string): string {
  const lines = bench.git('ls-tree', '-r', '-l', commit).trim().split('\n');
  const entries = lines.map((line) => {
    const [head = '', path = ''] = line.split('\t');
    const [mode = '', , object = ''] = head.split(/ +/u);
    const content = execFileSync('git', ['cat-file', 'blob', object], { cwd: bench.tree });
    const kind = mode === '120000' ? 'l 777' : `f ${mode.slice(3)}`;
    return { path, text: `${kind} ${content.length} ${blake3Hex(content)} ${path}\0` };
  });
  entries.sort((left, right) => Buffer.compare(Buffer.from(left.path), Buffer.from(right.path)));
  return blake3Hex(Buffer.from(`deed tree 1\0${entries.map(({ text }) => text).join('')}`));
}

describe('work run --branch', () => {
  it('lands each run as a commit, and leaves HEAD, index, files and settings of the checkout alone', () => {
    bench.write('.gitignore', 'libs/\n.env\n');
    bench.write('d/only.txt', 'x\n');
    bench.git('add', '.');
    bench.git('commit', '-qm', 'second');
    bench.write('libs/lib.txt', 'library\n');
    bench.write('.env', 'KEY=1\n');
    bench.write('a.txt', 'edited by a person\n');
    bench.write('b.txt', 'staged\n');
    bench.git('add', 'b.txt');
    bench.write('untracked.txt', 'mine\n');
    const before = checkout();
    const base = tipOf('HEAD');
    const run = bench.work(
      [
        item(
          'one',
          'cat a.txt libs/lib.txt .env > seen.txt; echo w > libs/new.txt; echo two >> a.txt; rm d/only.txt; mkdir e empty; printf x > e/x.sh; chmod 755 e/x.sh; ln -s a.txt link; chmod 600 a.txt; ls > names.txt',
          { test_command: 'grep -q library libs/lib.txt && git log --oneline | grep -q second' },
        ),
        item('two', 'cat a.txt > later.txt', { dependencies: ['one'] }),
      ],
      '--branch',
      'deed/work',
    );
    expect(run.envelope.error?.message).toBeUndefined();
    const [one, two] = run.envelope.data.results;
    expect(run.envelope.data.branch).toBe('deed/work');
    expect([one.branch, two.branch, two.commit]).toEqual(['deed/work', 'deed/work', tipOf('deed/work')]);
    expect(bench.git('log', '--format=%H', 'deed/work').trim().split('\n').slice(0, 3)).toEqual([
      two.commit,
      one.commit,
      base,
    ]);
    expect(checkout()).toEqual(before);
    expect(bench.git('show', 'deed/work:seen.txt')).toBe('one\nlibrary\nKEY=1\n');
    expect(bench.git('show', 'deed/work:later.txt')).toBe('one\ntwo\n');
    expect(bench.git('ls-tree', '-r', '--name-only', 'deed/work').trim().split('\n')).toEqual(
      '.gitignore a.txt b.txt e/x.sh later.txt link names.txt seen.txt'.split(' '),
    );
    expect(one.output_hash).toBe(hashOfTree(one.commit));
    expect(two.output_hash).toBe(hashOfTree(two.commit));
    expect(receiptOf(two.run_id).landing).toEqual({
      branch: 'deed/work',
      commit: two.commit,
      parent: one.commit,
    });
    const message = bench.git('log', '-1', '--format=%an <%ae>%n%B', two.commit).trim().split('\n');
    expect([message[0], ...message.slice(-3)]).toEqual([
      'Ada <ada@example.org>',
      `Deed-Run: ${two.run_id}`,
      `Deed-Receipt: ${two.receipt_id}`,
      'Co-authored-by: agent-1 <agent@deed.invalid>',
    ]);
    expect(bench.deed(['receipt', 'verify']).envelope.ok).toBe(true);
    expect(readdirSync(join(bench.home, 'work/checkouts'))).toEqual([]);
    expect(bench.deed(['work', 'replay', one.run_id]).envelope.data).toMatchObject({ matches: true });
    expect(bench.deed(['work', 'rollback', one.run_id, '--dry-run']).envelope.error?.message).toContain(
      'landed on the branch "deed/work"',
    );
  });

  it('warns in the dry run about uncommitted changes, and not about files that only a filter can compare', () => {
    const { git, write, ...other } = createBench();
    try {
      const marker = join(other.gate, 'started');
      write('.gitattributes', '*.bin filter=up\n*.crlf text eol=crlf\n');
      write('x.bin', 'stored\n');
      write('y.crlf', 'one\r\n');
      git('add', '.');
      git('commit', '-qm', 'second');
      git('config', 'filter.up.clean', `touch ${marker}; cat`);
      for (const [path, text] of [
        ['x.bin', 'redots\n'],
        ['y.crlf', 'one\r\n'],
        ['new.txt', 'new\n'],
      ] as const)
        write(path, text);
      git('config', 'user.name', 'Ada');
      git('config', 'user.email', 'ada@example.org');
      const argv = ['work', 'run', other.plan([item('n', 'true')]), '--branch', 'x', '--dry-run'];
      expect(other.deed(argv).stderr).not.toContain('Uncommitted');
      expect(existsSync(marker)).toBe(false);
      write('a.txt', 'edited\n');
      write('b.txt', 'staged\n');
      git('add', 'b.txt');
      expect(other.deed(argv).stderr).toContain(
        'Uncommitted changes are not part of the work: a.txt, b.txt. Commit them first, or run without --branch.',
      );
    } finally {
      other.dispose();
    }
  });

  it('rejects names that are not UTF-8 in the dry run, and says what to do', () => {
    const object = bench.git('hash-object', '-w', 'a.txt').trim();
    const tree = execFileSync('git', ['mktree', '-z'], {
      cwd: bench.tree,
      input: Buffer.from(`100644 blob ${object}\tcaf\xe9\0`, 'latin1'),
      encoding: 'utf8',
    }).trim();
    bench.git('branch', 'deed/names', bench.git('commit-tree', '-m', 'x', tree).trim());
    const argv = ['work', 'run', bench.plan([item('n', 'true')]), '--branch', 'deed/names', '--dry-run'];
    const { error } = bench.deed(argv).envelope;
    expect([error?.code, error?.details.field]).toEqual(['E_VALIDATION', 'branch']);
    expect(error?.details.hint).toContain('Rename these files');
  });

  it('continues a branch that exists, and shows branch, base and author in the dry run', () => {
    bench.git('branch', 'deed/more', 'HEAD');
    const plan = bench.plan([item('m', 'echo m > m.txt')]);
    const { preview } = bench.deed(['work', 'run', plan, '--branch', 'deed/more', '--dry-run']).envelope.data;
    expect(preview.changes[0].after).toMatchObject({
      branch: 'deed/more',
      base: tipOf('deed/more'),
      author: 'Ada <ada@example.org>',
    });
    const parent = tipOf('deed/more');
    const first = bench.confirmed('work', 'run', plan, '--branch', 'deed/more').envelope.data.results[0];
    expect(bench.git('rev-parse', 'deed/more^').trim()).toBe(parent);
    // The item does not run again on the state that its first run left; on another branch it does.
    const again = bench.confirmed('work', 'run', plan, '--branch', 'deed/more').envelope.data.results[0];
    expect(again.run_id).toBe(first.run_id);
    bench.git('branch', 'deed/other', 'deed/more');
    const other = bench.confirmed('work', 'run', plan, '--branch', 'deed/other').envelope.data.results[0];
    expect([other.run_id === first.run_id, other.commit]).toEqual([false, undefined]);
  });

  it('does not move the branch when a run fails its tests', () => {
    const failed = bench.work(
      [item('f', 'echo f > f.txt', { test_command: 'false' })],
      '--branch',
      'deed/failed',
    );
    expect(failed.envelope.error?.code).toBe('E_TESTS_FAILED');
    expect(bench.git('branch', '--list', 'deed/failed')).toBe('');
  });

  it('lands an approved run, also on a branch that was moved while it waited', () => {
    const waiting = bench.work([item('w', 'echo w > w.txt', { approval: true })], '--branch', 'deed/wait');
    expect(waiting.envelope.error?.code).toBe('E_HUMAN_REQUIRED');
    const runId = waiting.envelope.error?.details.run_id as string;
    bench.git('branch', 'deed/wait', 'deed/more');
    const approved = bench.confirmedAtTerminal('work', 'approve', runId).envelope.data;
    expect([approved.branch, approved.commit]).toEqual(['deed/wait', tipOf('deed/wait')]);
    expect(bench.git('rev-parse', 'deed/wait^').trim()).toBe(tipOf('deed/more'));
    expect(approved.output_hash).toBe(hashOfTree('deed/wait'));
    // A process that was killed while it wrote a commit.
    const left = join(bench.home, 'work/commit-left');
    mkdirSync(left);
    utimesSync(left, 0, 0);
    expect(bench.confirmed('work', 'gc', '--keep-days', '0').code).toBe(0);
    expect(existsSync(left)).toBe(false);
    expect(readdirSync(join(bench.home, 'work/checkouts'))).toEqual([]);
  });

  it('does not land a run while its branch is checked out, and lands it once it is not', () => {
    const place = join(dirname(bench.tree), 'linked');
    const waiting = bench.work([item('c', 'echo c > c.txt', { approval: true })], '--branch', 'deed/held');
    const runId = waiting.envelope.error?.details.run_id as string;
    bench.git('worktree', 'add', '-q', '-b', 'deed/held', place);
    const { error } = bench.confirmedAtTerminal('work', 'approve', runId).envelope;
    expect([error?.code, error?.message]).toEqual([
      'E_CONFLICT',
      expect.stringContaining(`The branch "deed/held" is checked out in ${place}`),
    ]);
    bench.git('worktree', 'remove', place);
    const approved = bench.confirmedAtTerminal('work', 'approve', runId).envelope.data;
    expect([approved.status, approved.commit]).toEqual(['success', tipOf('deed/held')]);
  });

  it('does not move a branch that is being rebased, in any working tree', () => {
    const place = join(dirname(bench.tree), 'rebased');
    bench.git('worktree', 'add', '-q', '-b', 'deed/rebased', place);
    // HEAD is detached while the rebase waits for its next step.
    bench.git('-C', place, '-c', 'sequence.editor=echo break >', 'rebase', '-q', '-i', 'HEAD');
    const argv = ['work', 'run', bench.plan([item('r', 'true')]), '--branch', 'deed/rebased', '--dry-run'];
    const { error } = bench.deed(argv).envelope;
    expect([error?.code, error?.message]).toEqual([
      'E_CONFLICT',
      `The branch "deed/rebased" is being rebased in ${place}.`,
    ]);
    bench.git('-C', place, 'rebase', '--continue');
    bench.git('worktree', 'remove', place);
    expect(bench.deed(argv).envelope.error).toBeUndefined();
  });

  it.each([
    ['a branch that is checked out', ['--branch', 'main'], 'E_CONFLICT', 'checked out'],
    ['an invalid name', ['--branch', 'a..b'], 'E_VALIDATION', '"a..b" is not a valid name of a branch'],
    ['a full ref', ['--branch', 'refs/heads/y'], 'E_VALIDATION', '"refs/heads/y" is not a valid name'],
    ['a name that is an option', ['--branch=-x'], 'E_VALIDATION', '"-x" is not a valid name'],
    ['a pull request without a branch', ['--pull-request'], 'E_VALIDATION', 'requires --branch'],
    [
      'a pull request of a background job',
      ['--branch', 'x', '--pull-request', '--detach'],
      'E_VALIDATION',
      'not both',
    ],
  ])('rejects %s before anything runs', (_, flags, code, text) => {
    const { error } = bench.deed([
      'work',
      'run',
      bench.plan([item('n', 'true')]),
      ...flags,
      '--dry-run',
    ]).envelope;
    expect([error?.code, error?.message]).toEqual([code, expect.stringContaining(text)]);
  });

  it('rejects a repository in which git has no name for commits', () => {
    bench.git('config', '--unset', 'user.email');
    const plan = bench.plan([item('n', 'true')]);
    const argv = ['work', 'run', plan, '--branch', 'x', '--dry-run'];
    expect(bench.deed(argv).envelope.error?.code).toBe('E_CONFIG');
    const env = { GIT_AUTHOR_NAME: 'Env', GIT_AUTHOR_EMAIL: 'env@example.org' };
    expect(bench.deed(argv, { env }).envelope.data.preview.changes[0].after.author).toBe(
      'Env <env@example.org>',
    );
    bench.git('config', 'user.email', 'ada@example.org');
  });

  it('starts no program that the repository names, nor do commit and blame', () => {
    const hostile = createBench();
    try {
      const command = `echo "$0 $@ : $(tr '\\0' ' ' < /proc/$PPID/cmdline)" >> ${hostile.gate}/started`;
      const program = join(hostile.gate, 'program');
      writeFileSync(program, `#!/bin/sh\n${command}\ncat\n`, { mode: 0o755 });
      hostile.write('.gitattributes', '* filter=evil diff=evil\n');
      hostile.git('add', '.');
      hostile.git('commit', '-qm', 'attributes');
      const settings = {
        'user.name': 'Ada',
        'user.email': 'ada@example.org',
        'filter.evil.clean': program,
        'filter.evil.smudge': program,
        'filter.evil.required': 'true',
        'diff.evil.textconv': program,
        'diff.evil.command': program,
        'core.fsmonitor': program,
        'commit.gpgSign': 'true',
        'gpg.program': program,
        'gpg.ssh.program': program,
        'gpg.format': 'ssh',
        'log.showSignature': 'true',
        'core.sshCommand': program,
        'credential.helper': `!${program}`,
      };
      for (const [name, value] of Object.entries(settings)) hostile.git('config', name, value);
      for (const name of [
        'reference-transaction',
        'post-index-change',
        'post-commit',
        'post-checkout',
        'pre-push',
      ])
        writeFileSync(join(hostile.tree, '.git/hooks', name), readFileSync(program), { mode: 0o755 });
      const run = hostile.work([item('h', 'echo h >> a.txt')], '--branch', 'deed/h');
      expect(run.envelope.data.results[0].status).toBe('success');
      const inTree = hostile.work([item('t', 'echo t >> b.txt')]).envelope.data.results[0].run_id as string;
      expect(hostile.confirmed('work', 'commit', inTree).code).toBe(0);
      expect(hostile.deed(['work', 'blame', 'b.txt']).envelope.data.lines[1].run_id).toBe(inTree);
      const started = join(hostile.gate, 'started');
      expect(existsSync(started) ? readFileSync(started, 'utf8') : '').toBe('');
    } finally {
      hostile.dispose();
    }
  });

  it.runIf(LONG)('keeps its branch when it is resumed', () => {
    const run = bench.work([item('r', 'test -e /nonexistent')], '--branch', 'deed/resumed');
    const job = run.envelope.error?.details.job_id as string;
    const other = bench.deed(['work', 'run', '--resume', job, '--branch', 'other', '--dry-run']).envelope;
    expect(other.error?.message).toContain('keeps its branch');
    const { preview } = bench.deed(['work', 'run', '--resume', job, '--dry-run']).envelope.data;
    expect(preview.changes[0].after.branch).toBe('deed/resumed');
  });
});

describe('a pull request', () => {
  let path = '';
  let remote = '';
  beforeAll(() => {
    const folder = dirname(bench.tree);
    [path, remote] = [join(folder, 'programs'), join(folder, 'remote.git')];
    mkdirSync(path);
    execFileSync('git', ['init', '-q', '--bare', remote]);
    writeFileSync(
      join(path, 'gh'),
      `#!/bin/sh\n[ "$1" = auth ] && exec test -e ${path}/signed-in\necho "$@" > ${path}/called\necho https://github.com/o/r/pull/7\n`,
    );
    chmodSync(join(path, 'gh'), 0o755);
    bench.git('remote', 'add', 'origin', 'https://github.com/o/r.git');
    bench.git('config', `url.file://${remote}.insteadOf`, 'https://github.com/o/r.git');
  });
  const work = (name: string, ...flags: string[]) => {
    const argv = [
      'work',
      'run',
      bench.plan([item(name, `echo ${name} > ${name}.txt`)]),
      '--branch',
      `pr/${name}`,
      ...flags,
    ];
    const env = { PATH: `${path}:${process.env.PATH}` };
    const token = bench.deed([...argv, '--dry-run'], { env }).envelope.data.confirm_token as string;
    return bench.deed([...argv, '--confirm', token], { env }).envelope.data.pull_request;
  };

  it('is opened by the caller, who gets the commands, unless it was asked for', () => {
    expect(work('plain')).toEqual({
      url: null,
      commands: [
        'git push origin pr/plain',
        expect.stringMatching(/^gh pr create --repo github\.com\/o\/r --head pr\/plain --title /u),
      ],
      problem: null,
    });
  });

  it.runIf(LONG)('is not opened if the program is not signed in, and nothing is pushed', () => {
    expect(work('unsigned', '--pull-request')).toMatchObject({
      url: null,
      commands: [expect.any(String), expect.any(String)],
      problem: 'gh is not signed in: gh auth login',
    });
    expect(execFileSync('git', ['branch'], { cwd: remote, encoding: 'utf8' })).toBe('');
  });

  it('is opened for the pushed branch if the program is signed in', () => {
    writeFileSync(join(path, 'signed-in'), '');
    expect(work('signed', '--pull-request')).toEqual({
      url: 'https://github.com/o/r/pull/7',
      commands: [],
      problem: null,
    });
    expect(execFileSync('git', ['rev-parse', 'pr/signed'], { cwd: remote, encoding: 'utf8' }).trim()).toBe(
      tipOf('pr/signed'),
    );
    expect(readFileSync(join(path, 'called'), 'utf8')).toContain('--head pr/signed');
  });
});

describe.runIf(LONG)('deed killed with -9 at a call of git', () => {
  let folder = '';
  beforeAll(() => {
    folder = join(dirname(bench.home), 'killing');
    mkdirSync(folder);
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    // Counts its calls, and kills deed before or after the one that the test names.
    writeFileSync(
      join(folder, 'git'),
      `#!/bin/sh
n=$(flock '${folder}/lock' sh -c 'echo "$1" >> "$0"; wc -l < "$0"' '${folder}/calls' "$1")
[ "$(cat '${folder}/when')" = "before $n" ] && kill -9 $PPID && exit 1
'${git}' "$@"
code=$?
[ "$(cat '${folder}/when')" = "after $n" ] && kill -9 $PPID
exit $code
`,
    );
    chmodSync(join(folder, 'git'), 0o755);
  });
  beforeEach(() => {
    writeFileSync(join(folder, 'calls'), '');
  });

  const start = (name: string, when: string) => {
    writeFileSync(join(folder, 'when'), when);
    const argv = ['work', 'run', bench.plan([item('k', `echo ${name} > k.txt`)]), '--branch', name];
    const token = bench.deed([...argv, '--dry-run']).envelope.data.confirm_token as string;
    return bench.deed([...argv, '--confirm', token], {
      env: { PATH: `${folder}:${process.env.PATH}` },
    });
  };

  it(
    'leaves the branch moved with a receipt, or nothing',
    () => {
      expect(start('kill/none', 'never').envelope.ok).toBe(true);
      const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
      // The last two calls move the branch and the private checkout; all calls in the long version.
      const last = calls.flatMap((name, index) => (name === 'update-ref' ? [index + 1] : [])).slice(-2);
      const points = LONG ? calls.map((_, index) => index + 1) : last;
      for (const point of points) {
        for (const when of LONG ? ['before', 'after'] : ['after']) {
          writeFileSync(join(folder, 'calls'), '');
          const name = `${when}/${point}`;
          const before = bench.git('for-each-ref').split('\n').length;
          expect(start(name, `${when} ${point}`).code).toBe(null);
          bench.confirmed('work', 'recover');
          const moved = bench.git('for-each-ref').split('\n').length > before;
          const { items } = bench.deed(['work', 'list', '--limit', '1']).envelope.data;
          const receipt = receiptOf(items[0].run_id);
          const landed = receipt.landing?.branch === name;
          expect([name, calls[point - 1], moved, receipt.landing?.commit]).toEqual([
            name,
            calls[point - 1],
            landed,
            landed ? tipOf(name) : receipt.landing?.commit,
          ]);
          expect(bench.deed(['receipt', 'verify']).envelope.ok).toBe(true);
          expect(existsSync(join(bench.tree, 'k.txt'))).toBe(false);
        }
      }
    },
    KILL_TIMEOUT_MS,
  );
});

describe.runIf(LONG)('work run --branch with another isolation', () => {
  it.each([{ 'work.workspace': 'copy' }, { 'work.isolation': 'namespace' }])(
    '(%j) lands the same commit',
    (settings) => {
      const other = createBench({ 'work.agents': shells(), ...settings });
      try {
        other.git('config', 'user.name', 'Ada');
        other.git('config', 'user.email', 'ada@example.org');
        other.write('.gitignore', 'libs/\n');
        other.git('add', '.');
        other.git('commit', '-qm', 'second');
        other.write('libs/lib.txt', 'library\n');
        const run = other.work(
          [
            item('one', 'cat libs/lib.txt > seen.txt; git log --format=%s | head -1 >> seen.txt', {
              test_command: 'cat libs/lib.txt',
            }),
          ],
          '--branch',
          'deed/copy',
        );
        expect(run.envelope.error?.message).toBeUndefined();
        expect(other.git('show', 'deed/copy:seen.txt')).toBe('library\nsecond\n');
        expect(other.git('status', '--short')).toBe('');
      } finally {
        other.dispose();
      }
    },
  );
});
