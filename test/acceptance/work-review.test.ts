import { chmodSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedClaude } from '../fixtures/scripted-claude.ts';
import { createBench, item, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';

/** A shell function with a defect, and its test. */
const FILES = {
  'larger.sh': 'larger() { echo "$1"; }\n',
  'test.sh': '. ./larger.sh\n[ "$(larger 1 2)" = 2 ] && echo "1 passed" || { echo "1 failed"; exit 1; }\n',
};
const FIRST = `printf 'larger() { [ "$1" -gt "$2" ] && echo "$1" || echo "$2"; }\\n' > larger.sh`;
const SECOND = `sed -i '1i# Prints the larger one of two numbers.' larger.sh`;

describe('a run that is reviewed', () => {
  let bench: WorkBench;
  let first = '';
  let second = '';
  const show = (id: string) => bench.deed(['work', 'show', id]).envelope.data;
  beforeAll(() => {
    bench = createBench(
      { 'work.agents': { fixer: { kind: 'claude', argv: ['./claude', '-p'] } } },
      { ownHome: true },
    );
    for (const [path, content] of Object.entries(FILES)) bench.write(path, content);
    bench.write('claude', scriptedClaude([FIRST, SECOND]));
    chmodSync(join(bench.tree, 'claude'), 0o755);
  });
  afterAll(() => bench.dispose());

  it('by Claude waits for a person, with its session, tokens and cost', () => {
    const plan = item('fix', 'larger prints the smaller number. Fix it.', {
      agent_id: 'fixer',
      approval: true,
      test_command: 'sh test.sh',
    });
    const { error } = bench.work(plan).envelope;
    expect(error?.code).toBe('E_HUMAN_REQUIRED');
    first = error?.details.run_id;
    expect(show(first)).toMatchObject({
      status: 'waiting',
      agent: {
        session_id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
        models: ['claude-test-1'],
        cost_usd: 0.01,
      },
      durations: { total_ms: expect.any(Number), agent_ms: expect.any(Number), tests_ms: expect.any(Number) },
      tests: { command: 'sh test.sh', passed: true },
      limits: { max_files: { used: 1, limit: 10 }, max_tool_ops: { used: 1, limit: 50 } },
      attempts: [{ run_id: first, status: 'waiting' }],
    });
  });

  it('has a diff while it waits, unified, as numbers and per file', () => {
    const diff = bench.deed(['work', 'diff', first, '--format', 'raw']).stdout;
    expect(diff).toContain('diff --git a/larger.sh b/larger.sh\n');
    expect(diff).toContain('-larger() { echo "$1"; }\n+larger() { [ "$1" -gt "$2" ]');
    expect(bench.deed(['work', 'diff', first, '--stat', '--path', 'larger.sh']).envelope.data).toEqual({
      run_id: first,
      status: 'waiting',
      files: [{ path: 'larger.sh', action: 'modify', type: 'file', added: 1, deleted: 1 }],
      added: 1,
      deleted: 1,
      _untrusted: expect.any(Array),
    });
    expect(bench.deed(['work', 'diff', first, '--path', 'other']).envelope.error?.code).toBe('E_NOT_FOUND');
  });

  it('has a log that shows messages and tool calls', () => {
    const text = bench.deed(['work', 'log', first, '--format', 'text']).stdout;
    expect(text).toContain('[fix] I will look at it, turn 1.\n[fix] → Bash make the change\n');
    expect(text).toContain('[fix] tests passed\n');
    const raw = bench.deed(['work', 'log', first, '--raw', '--tail', '1']).stdout;
    expect(raw.split('\n').filter(Boolean)).toHaveLength(2);
  });

  it('is sent back once, and Claude continues its session with its changes, the diff and the comment', () => {
    const comment = 'Add a comment that says what it does';
    expect(
      bench.deed(['work', 'revise', first, '--comment', comment, '--dry-run']).envelope.error,
    ).toMatchObject({
      code: 'E_HUMAN_REQUIRED',
    });
    const { error } = bench.confirmedAtTerminal('work', 'revise', first, '--comment', comment).envelope;
    expect(error?.code).toBe('E_HUMAN_REQUIRED');
    second = error?.details.run_id;
    expect(second).not.toBe(first);
    const shown = show(second);
    expect(shown).toMatchObject({
      status: 'waiting',
      attempt: 2,
      revises: first,
      revision: { of: first, attempt: 2, comment, by: expect.stringMatching(/^user:/u) },
      attempts: [
        { run_id: first, status: 'denied' },
        { run_id: second, status: 'waiting', comment },
      ],
    });
    // The cost that Claude reports is that of the session.
    expect(shown.agent).toMatchObject({
      session_id: show(first).agent.session_id,
      session_cost_usd: 0.02,
      cost_usd: 0.01,
    });
    expect(show(first).result.denial_reason).toMatch(/^Sent back by user:.*: Add a comment/u);
    const log = bench.deed(['work', 'log', second, '--format', 'text']).stdout;
    expect(log).toContain('turn 2.');
    const diff = bench.deed(['work', 'diff', second, '--format', 'raw']).stdout;
    expect(diff).toContain('+# Prints the larger one');
    expect(diff).toContain('+larger() { [ "$1" -gt');
    const rows = bench.deed(['work', 'list']).envelope.data.items;
    expect(rows.find(({ run_id }: { run_id: string }) => run_id === second)).toMatchObject({
      attempt: 2,
      revises: first,
    });
  });

  it('gets the comment, the diff and the test output in its message', () => {
    const [path = ''] = globSync(join(bench.home, 'work/sessions', second, '*/*.jsonl'));
    const session = readFileSync(path, 'utf8');
    expect(session).toContain('Add a comment that says what it does');
    expect(session).toContain('<diff>\ndiff --git a/larger.sh');
    expect(session).toContain('<test_output>\n1 passed\n</test_output>');
    expect(session).toContain('Your changes are in the working tree.');
  });

  it('is approved, promoted, verified, and its diffs stay', () => {
    expect(bench.confirmedAtTerminal('work', 'approve', second).envelope.ok).toBe(true);
    expect(bench.read('larger.sh')).toMatch(/^# Prints the larger one/u);
    expect(bench.deed(['receipt', 'verify']).envelope.data.valid).toBe(true);
    expect(bench.deed(['work', 'diff', second, '--stat']).envelope.data).toMatchObject({
      status: 'success',
      added: 2,
    });
    expect(bench.deed(['work', 'diff', first, '--stat']).envelope.data).toMatchObject({
      status: 'denied',
      added: 1,
    });
    const receipt = JSON.parse(readFileSync(join(bench.home, 'runs', second, 'RECEIPT.json'), 'utf8'));
    expect(receipt.revision).toMatchObject({ of: first, attempt: 2 });
  });

  it('is in the summary of its job with its cost', () => {
    const plan = item('again', 'Do it.', { agent_id: 'fixer', test_command: 'true' });
    const { job_id: job, results } = bench.work(plan).envelope.data;
    expect(results).toMatchObject([{ item_id: 'again', status: 'success', cost_usd: 0.01 }]);
    const text = bench.deed(['work', 'result', job, '--format', 'text']).stdout;
    expect(text).toMatch(/again {2}in the tree {2}.*\$0\.0100\n/u);
    expect(text).toContain('1 of 1 applied, cost $0.0100\n');
  });
});

describe('a run that conflicts with an edit of the user', () => {
  let bench: WorkBench;
  let run = '';
  const raw = (...flags: string[]) => bench.deed(['work', 'diff', run, ...flags, '--format', 'raw']).stdout;
  const unknown =
    '# notes.txt: its content before the run is not stored; all of its new content is shown as added\n';
  beforeAll(async () => {
    bench = createBench();
    bench.write('notes.txt', 'not committed\n');
    const script = [
      `if [ -n "\${DEED_REVIEW:-}" ]; then cp "$DEED_REVIEW" ${bench.gate}/review.json; exit 0; fi`,
      `echo agent | tee -a a.txt notes.txt > new.txt; touch ${bench.gate}/waits`,
      `until [ -e ${bench.gate}/go ]; do sleep 0.05; done`,
    ];
    const running = bench.workAsync(item('append', script.join('\n')));
    while (!existsSync(join(bench.gate, 'waits'))) await sleep(20);
    for (const path of ['a.txt', 'notes.txt']) bench.write(path, 'mine\n');
    writeFileSync(join(bench.gate, 'go'), '');
    const ended = await running;
    expect(ended.envelope.error?.code).toBe('E_CONFLICT');
    run = resultsOf(ended)[0].run_id;
  });
  afterAll(() => bench.dispose());

  it('keeps its changes of the files that both have changed', () => {
    expect(raw()).toContain('diff --git a/a.txt b/a.txt\n');
    expect(raw('--path', 'a.txt')).toMatch(/^diff --git a\/a\.txt .*\n one\n\+agent\n$/su);
    expect(raw('--path', 'a.txt', '--stat')).toBe(' modify a.txt  +1 -0\n 1 files, +1 -0\n');
    expect(bench.read('a.txt')).toBe('mine\n');
  });

  it('says that the content of a file before the run is not known, and shows what is', () => {
    expect(raw().startsWith(unknown)).toBe(true);
    expect(raw('--path', 'notes.txt')).toMatch(/^# notes\.txt: .*\n\+not committed\n\+agent\n$/su);
    expect(bench.deed(['work', 'diff', run, '--path', 'notes.txt', '--format', 'text']).stdout).toContain(
      unknown,
    );
  });

  it('is sent back with these changes', () => {
    bench.confirmed('work', 'revise', run, '--comment', 'Merge it with my edit');
    const review = JSON.parse(readFileSync(join(bench.gate, 'review.json'), 'utf8'));
    expect(review).toMatchObject({ of: run, reapplied: 'a.txt was changed since' });
    expect(review.diff).toContain('\n one\n+agent\n');
    expect(review.diff).toBe(raw());
  });
});
