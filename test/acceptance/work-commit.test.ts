import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

let bench: WorkBench;
beforeAll(() => {
  bench = createBench();
  bench.git('config', 'user.name', 'Ada');
  bench.git('config', 'user.email', 'ada@example.org');
});
beforeEach(() => {
  bench.git('reset', '-q', '--hard');
});
afterAll(() => bench.dispose());

const run = (name: string, script: string): string =>
  bench.work([item(name, script)]).envelope.data.results[0].run_id as string;

describe('work commit', () => {
  it('commits what the run changed, and nothing else that is edited or staged', () => {
    bench.write('b.txt', 'staged by a person\n');
    bench.git('add', 'b.txt');
    const parent = bench.git('rev-parse', 'HEAD').trim();
    const runId = run('made', 'echo more >> a.txt; mkdir n; echo x > n/x.txt; chmod 755 n/x.txt');
    bench.write('mine.txt', 'not committed\n');
    const settings = readFileSync(join(bench.tree, '.git/config'), 'utf8');
    const { preview } = bench.deed(['work', 'commit', runId, '--dry-run']).envelope.data;
    expect(preview.changes[0].after).toEqual({
      branch: null,
      parent,
      author: 'Ada <ada@example.org>',
      files: ['a.txt', 'n/x.txt'],
    });
    const { data } = bench.confirmed('work', 'commit', runId).envelope;
    expect(data).toEqual({
      run_id: runId,
      receipt_id: expect.any(String),
      branch: null,
      commit: bench.git('rev-parse', 'HEAD').trim(),
      parent,
      files: ['a.txt', 'n/x.txt'],
    });
    expect(bench.git('show', '--format=%an', '--name-only', 'HEAD').trim().split('\n')).toEqual([
      'Ada',
      '',
      'a.txt',
      'n/x.txt',
    ]);
    expect(bench.git('log', '-1', '--format=%(trailers:key=Deed-Run,valueonly)').trim()).toBe(runId);
    expect(bench.git('status', '--short').trimEnd().split('\n')).toEqual(['M  b.txt', '?? mine.txt']);
    expect(readFileSync(join(bench.tree, '.git/config'), 'utf8')).toBe(settings);
    const again = bench.deed(['work', 'commit', runId, '--dry-run']).envelope.error;
    expect([again?.code, again?.message]).toEqual([
      'E_CONFLICT',
      expect.stringContaining('already committed'),
    ]);
  });

  it.each([
    ['attribute', '* text=auto eol=crlf\n', 'false'],
    ['setting', '', 'true'],
  ])('stores converted line endings as git does: %s', (name, attributes, autocrlf) => {
    bench.git('config', 'core.autocrlf', autocrlf);
    bench.write('.gitattributes', attributes);
    bench.write(`${name}/old.txt`, 'one\r\n');
    bench.git('add', '-A');
    bench.git('commit', '-q', '-m', name);
    const runId = run(name, `printf 'two\\r\\n' >> ${name}/old.txt; printf 'new\\r\\n' > ${name}/new.txt`);
    expect(bench.confirmed('work', 'commit', runId).envelope.data?.files).toEqual([
      `${name}/new.txt`,
      `${name}/old.txt`,
    ]);
    expect(bench.git('show', `HEAD:${name}/old.txt`)).toBe('one\ntwo\n');
    expect(bench.git('show', `HEAD:${name}/new.txt`)).toBe('new\n');
    expect(bench.git('status', '--short')).toBe('');
    bench.git('config', 'core.autocrlf', 'false');
  });

  it('runs no filter, and commits what has one as it is', () => {
    bench.write('.gitattributes', '*.up filter=up text eol=crlf\n');
    bench.git('config', 'filter.up.clean', 'touch filter-ran; tr a-z A-Z');
    const runId = run('filtered', "printf 'x\\r\\n' > x.up");
    bench.confirmed('work', 'commit', runId);
    expect([bench.git('show', 'HEAD:x.up'), existsSync(join(bench.tree, 'filter-ran'))]).toEqual([
      'x\r\n',
      false,
    ]);
    bench.git('config', '--remove-section', 'filter.up');
  });

  it('commits to another branch and leaves the checkout alone', () => {
    const runId = run('other', 'echo o > o.txt; rm b.txt');
    const status = bench.git('status', '--short');
    const { data } = bench.confirmed('work', 'commit', runId, '--branch', 'deed/committed').envelope;
    expect([data.branch, data.commit]).toEqual([
      'deed/committed',
      bench.git('rev-parse', 'deed/committed').trim(),
    ]);
    expect(bench.git('diff', '--name-status', 'HEAD', 'deed/committed').trim().split('\n')).toEqual([
      'D\tb.txt',
      'A\to.txt',
    ]);
    expect(bench.git('status', '--short')).toBe(status);
    bench.confirmed('work', 'rollback', runId);
  });

  it('rejects a run whose files were changed before it, since it, or are staged differently', () => {
    bench.write('a.txt', 'edited before\n');
    const before = run('before', 'echo x >> a.txt');
    const refuse = (id: string): unknown => bench.confirmed('work', 'commit', id).envelope.error;
    expect(refuse(before)).toMatchObject({
      code: 'E_CONFLICT',
      message: expect.stringMatching(/^Before run/u),
    });
    bench.git('reset', '-q', '--hard');
    const since = run('since', 'echo y >> a.txt');
    bench.write('a.txt', 'edited since\n');
    expect(refuse(since)).toMatchObject({
      code: 'E_CONFLICT',
      message: expect.stringMatching(/^Changed since/u),
    });
    bench.git('reset', '-q', '--hard');
    const staged = run('staged', 'echo z >> b.txt');
    const written = bench.read('b.txt');
    bench.write('b.txt', 'other\n');
    bench.git('add', 'b.txt');
    bench.write('b.txt', written);
    expect(refuse(staged)).toMatchObject({
      code: 'E_CONFLICT',
      message: 'Staged with other content: b.txt.',
    });
  });
});
