import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentApi } from '../fixtures/agent-api.ts';
import { createAgentBench } from '../fixtures/real-agents.ts';
import { deed, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { item, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';

/** A version with a known flaw (CVE-2021-44906): an argument can change the prototype of functions. */
const PUBLISHED = 'minimist@1.2.5';

const FAILING_TEST = `const { test } = require('node:test');
const assert = require('node:assert');
const parse = require('./index.js');

test('an argument cannot change the prototype of functions', () => {
  parse(['--_.concat.constructor.prototype.polluted', 'yes']);
  assert.equal(parse.polluted, undefined);
});
`;
/** The tests of the package itself need a library. */
const TEST = ['--test', 'prototype.test.js'];
const FIX = `sed -i "s/if (key === '__proto__') return;/if (isUnsafe(key)) return;/" index.js && printf '%s\n' '' "function isUnsafe (key) { return key === '__proto__' || key === 'constructor'; }" >> index.js`;
const NOTE = `printf '%s\n' '' 'Keys that would change a prototype are ignored.' >> readme.markdown`;

describe.skipIf(!LONG).each(['claude', 'codex'])('%s with a scripted model', (agent) => {
  let api: AgentApi;
  let bench: WorkBench;
  beforeAll(async () => {
    ({ api, bench } = await createAgentBench());
  }, 600_000);
  afterAll(async () => {
    bench?.dispose();
    await api?.close();
  });

  /** A folder next to the bench with a repository of these sources. */
  function newRepository(name: string, fill: (folder: string) => void): Repository {
    const folder = join(dirname(bench.tree), name);
    mkdirSync(folder);
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'Ada');
    git('config', 'user.email', 'ada@example.org');
    fill(folder);
    git('add', '-A');
    git('commit', '-qm', 'first');
    const call = (...argv: string[]): Promise<Run> => bench.deedAsync(argv, { cwd: folder });
    return {
      folder,
      git,
      deed: call,
      confirmed: async (...argv) => {
        const preview = await call(...argv, '--dry-run');
        expect(preview.envelope.error).toBeUndefined();
        return call(...argv, '--confirm', preview.envelope.data.confirm_token as string);
      },
    };
  }

  it('fixes a published package, is sent back once, and lands on a branch with a receipt that another machine verifies', async () => {
    const repository = newRepository('package', (folder) => {
      const pack = execFileSync('npm', ['pack', '--silent', PUBLISHED], {
        cwd: dirname(folder),
        encoding: 'utf8',
      });
      execFileSync('tar', ['xzf', join('..', pack.trim()), '--strip-components=1'], { cwd: folder });
      writeFileSync(join(folder, 'prototype.test.js'), FAILING_TEST);
    });
    const { folder, git, confirmed } = repository;
    const { stdout } = spawnSync('node', TEST, { cwd: folder, encoding: 'utf8' });
    expect(stdout).toContain("'yes' == undefined");
    const before = [
      git('rev-parse', 'HEAD'),
      git('status', '--porcelain'),
      readFileSync(join(folder, 'index.js'), 'utf8'),
    ];

    api.script({ run: `node ${TEST.join(' ')} 2>&1 | tail -n 20` }, { run: FIX }, { say: 'Fixed.' });
    const plan = bench.plan(
      item('prototype', 'The test in prototype.test.js fails. Fix index.js.', {
        agent_id: agent,
        approval: true,
        test_command: `node ${TEST.join(' ')}`,
        paths: { allow: ['index.js', 'readme.markdown'] },
      }),
    );
    const waiting = await confirmed('work', 'run', plan, '--branch', 'deed/prototype');
    expect(waiting.envelope.error?.code).toBe('E_HUMAN_REQUIRED');
    const first = waiting.envelope.error?.details.run_id as string;
    expect((await repository.deed('work', 'diff', first, '--format', 'raw')).stdout).toContain(
      '+            if (isUnsafe(key)) return;',
    );
    expect(() => git('rev-parse', '--verify', 'deed/prototype')).toThrow('Command failed');

    api.script({ run: NOTE }, { say: 'Described.' });
    const revised = await confirmed('work', 'revise', first, '--comment', 'Describe it in the readme');
    expect(revised.envelope.error?.code).toBe('E_HUMAN_REQUIRED');
    const second = revised.envelope.error?.details.run_id as string;
    expect((await repository.deed('work', 'show', second)).envelope.data).toMatchObject({
      tests: { passed: true },
      attempts: [{ run_id: first }, { run_id: second, comment: 'Describe it in the readme' }],
    });

    const approved = await confirmed('work', 'approve', second);
    const { branch, commit } = approved.envelope.data;
    expect([branch, git('rev-parse', 'deed/prototype').trim()]).toEqual(['deed/prototype', commit]);
    expect(before).toEqual([
      git('rev-parse', 'HEAD'),
      git('status', '--porcelain'),
      readFileSync(join(folder, 'index.js'), 'utf8'),
    ]);
    expect(git('log', '-1', '--format=%B', 'deed/prototype')).toContain(`Deed-Run: ${second}\n`);
    expect(git('diff', '--stat', 'main', 'deed/prototype')).toContain('2 files changed');

    // Another machine has a clone, the exported receipt and the public key, and nothing else.
    const elsewhere = join(dirname(folder), 'elsewhere');
    mkdirSync(elsewhere);
    for (const as of ['receipt', 'key']) {
      const exported = await repository.deed('receipt', 'export', second, '--as', as, '--format', 'raw');
      writeFileSync(join(elsewhere, as), exported.stdout);
    }
    execFileSync('git', ['clone', '-q', '-b', 'deed/prototype', folder, join(elsewhere, 'clone')]);
    execFileSync('node', TEST, { cwd: join(elsewhere, 'clone'), stdio: 'pipe' });
    const verify = (): Run['envelope'] =>
      deed(['receipt', 'verify', '--file', 'receipt', '--key', 'key', '--root', 'clone'], {
        home: join(elsewhere, 'home'),
        cwd: elsewhere,
      }).envelope;
    expect(verify().data).toMatchObject({
      valid: true,
      run_id: second,
      branch: 'deed/prototype',
      commit,
      files: 2,
    });
    writeFileSync(join(elsewhere, 'clone/index.js'), before[2] ?? '');
    expect(verify().error?.message).toContain('index.js');
  }, 400_000);

  it('works five times at once, and what merges as text but not in meaning is refused until it is revised', async () => {
    const module = (name: string, body: string): string =>
      `printf '%s\n' "${body}" > ${name}.js && printf '%s\n' "const { test } = require('node:test'); const assert = require('node:assert');" "test('${name}', () => { assert.ok(require('./${name}.js')); });" > ${name}.test.js`;
    const repository = newRepository('five', (folder) => {
      writeFileSync(
        join(folder, 'total.js'),
        'exports.total = (list) => list.reduce((sum, next) => sum + next, 0);\n',
      );
      writeFileSync(
        join(folder, 'total.test.js'),
        "require('node:test')('total', () => require('node:assert').equal(require('./total.js').total([1, 2]), 3));\n",
      );
    });
    const { folder, git, confirmed } = repository;
    const useTotal = (name: string): string =>
      module('invoice', `exports.due = require('./total.js').${name}([20, 22]);`) +
      ` && printf '%s\n' "test('due', () => assert.equal(require('./invoice.js').due, 42));" >> invoice.test.js`;
    const work: Record<string, string> = {
      'a-mean': module('mean', 'exports.mean = (list) => list.length;'),
      'b-rename':
        'sed -i s/total\\(/sum\\(/ total.test.js; sed -i "s/\\.total(/.sum(/" total.test.js; sed -i s/exports.total/exports.sum/ total.js',
      'c-largest': module('largest', 'exports.largest = Math.max;'),
      'd-invoice': useTotal('total'),
      'e-smallest': module('smallest', 'exports.smallest = Math.min;'),
    };
    for (const [id, run] of Object.entries(work))
      api.scriptFor(`Do the work of ${id}.`, { run }, { say: 'Done.' });
    const plan = bench.plan(
      Object.keys(work).map((id) =>
        item(id, `Do the work of ${id}.`, { agent_id: agent, test_command: 'node --test' }),
      ),
    );
    const run = await confirmed('work', 'run', plan, '--branch', 'deed/five', '--jobs', '5');
    expect(run.envelope.error?.code).toBe('E_TESTS_FAILED');
    const results = resultsOf(run) as {
      run_id: string;
      item_id: string;
      status: string;
      error?: string;
    }[];
    const denied = results.filter(({ status }) => status !== 'success');
    expect(denied).toMatchObject([{ item_id: 'd-invoice' }]);
    /** The number of tests that pass on the branch; throws if one fails. */
    const tested = (): number => {
      const clone = join(dirname(folder), `clone-${git('rev-parse', 'deed/five').trim()}`);
      execFileSync('git', ['clone', '-q', '-b', 'deed/five', folder, clone]);
      const printed = execFileSync('node', ['--test'], { cwd: clone, encoding: 'utf8' });
      return Number(/pass (\d+)/u.exec(printed)?.[1]);
    };
    // What landed works together; what does not is not on the branch.
    expect(tested()).toBe(4);
    expect(git('ls-tree', '--name-only', 'deed/five')).not.toContain('invoice.js');

    api.scriptFor('It is called sum now', { run: useTotal('sum') }, { say: 'Done.' });
    const id = denied[0]?.run_id ?? '';
    const revised = await confirmed('work', 'revise', id, '--comment', 'It is called sum now');
    expect(revised.envelope.error).toBeUndefined();
    expect(tested()).toBe(6);
    expect(git('log', '--format=%s', 'deed/five', '^main').trim().split('\n')).toHaveLength(5);
    expect((await repository.deed('receipt', 'verify')).envelope.data.valid).toBe(true);
  }, 400_000);
});

interface Repository {
  readonly folder: string;
  readonly git: (...args: string[]) => string;
  readonly deed: (...argv: string[]) => Promise<Run>;
  /** Dry run, then confirm. */
  readonly confirmed: (...argv: string[]) => Promise<Run>;
}
