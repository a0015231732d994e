import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withLock } from '../../src/system/lock.ts';
import { HOME_FIXTURE_ROOT, unpackHome } from '../fixtures/release-0.1.0.ts';
import { confirmed, deed, deedAsync, executable, type Envelope } from '../fixtures/run-deed.ts';
import { workspaceCapabilities } from '../fixtures/workspace-modes.ts';

const at = (...names: string[]): string => join(HOME_FIXTURE_ROOT, ...names);
const options = { home: at('user/.deed'), cwd: at('app'), env: { HOME: at('user') } };
const read = (...argv: string[]): Envelope => deed(argv, options).envelope;
const write = (...argv: string[]): Envelope => confirmed(argv, options).envelope;
// eslint-disable-next-line typescript/no-explicit-any -- answers of any shape
const answerOf = (program: 'vybe' | 'pt', argv: readonly string[]): any =>
  JSON.parse(deed(argv, { ...options, executable: executable(program) }).stdout);
const vybe = (...argv: string[]) => answerOf('vybe', [...argv, '--agent', 'claude-app']);
const runOf = (item: string): string =>
  read('work', 'list').data.items.find(({ item_id }: { item_id: string }) => item_id === item).run_id;
const keysIn = (...scope: string[]): string[] =>
  read('memory', 'list', ...scope)
    .data.items.map(({ key }: { key: string }) => key)
    .sort();

/** The tests run in order on one home, like a user would use it after an update. */
describe('a home made by 0.1.0', () => {
  let release = (): void => undefined;
  beforeAll(async () => {
    // Receipts contain the path of the tree, so two runs of this suite on one machine must not overlap.
    await new Promise<void>((resolve, reject) => {
      const hold = (): Promise<void> =>
        new Promise((done) => {
          release = done;
          resolve();
        });
      withLock(`${HOME_FIXTURE_ROOT}.lock`, hold, { waitMs: 280_000 }).catch(reject);
    });
    rmSync(HOME_FIXTURE_ROOT, { recursive: true, force: true });
    unpackHome(HOME_FIXTURE_ROOT);
  });
  afterAll(() => {
    rmSync(HOME_FIXTURE_ROOT, { recursive: true, force: true });
    release();
  });

  it('has a valid audit log and valid receipts', () => {
    expect(read('audit', 'verify').data).toMatchObject({ valid: true });
    const months = read('audit', 'list', '--limit', '1000').data.items.map(({ at }: { at: string }) =>
      at.slice(0, 7),
    );
    expect([...new Set(months)]).toEqual(expect.arrayContaining(['2026-09', '2026-10']));
    expect(read('receipt', 'verify').data).toEqual({ checked: 4, valid: true });
  });

  it('has receipts that can be exported and verified elsewhere, by their own rule', () => {
    const [first] = read('receipt', 'list').data.items;
    for (const as of ['receipt', 'bundle', 'slsa', 'key'])
      writeFileSync(
        at(`exported-${as}`),
        read('receipt', 'export', first.run_id, '--as', as).data.text as string,
      );
    for (const as of ['receipt', 'bundle', 'slsa']) {
      const argv = ['receipt', 'verify', '--file', at(`exported-${as}`), '--key', at('exported-key')];
      expect(deed(argv).envelope.data).toMatchObject({ valid: true, run_id: first.run_id });
    }
  });

  it('contains all tasks, dependencies, memories of every scope and kind, events, artifacts and runs', () => {
    const tasks = read('task', 'list', '--project-id', '/srv/app').data.items;
    const [parser, tests, docs] = tasks;
    expect(
      tasks.map(({ title, status }: { title: string; status: string }) => `${title}: ${status}`),
    ).toEqual(['Write the parser: completed', 'Test the parser: pending', 'Describe the parser: pending']);
    expect([tests.depends_on, docs.related.map(({ kind }: { kind: string }) => kind).sort()]).toEqual([
      [parser.id],
      ['discovered-from', 'related'],
    ]);
    const kinds = (scope: string): string[] =>
      ['directive', 'fact', 'lesson'].map((kind) => `${scope}-${kind}`);
    expect(keysIn()).toEqual(kinds('global'));
    expect(keysIn('--scope', 'project', '--scope-id', '/srv/app')).toEqual(kinds('project'));
    expect(keysIn('--scope', 'agent', '--scope-id', 'claude-app')).toEqual(kinds('agent'));
    expect(keysIn('--scope', 'task', '--scope-id', parser.id)).toEqual(['entry', ...kinds('task')].sort());
    const history = read('memory', 'history', '--key', 'global-fact').data.items;
    expect(history.map(({ value }: { value: string }) => value)).toEqual(['known better', 'known in global']);
    expect(read('artifacts', 'list', '--task-id', parser.id).data.items).toMatchObject([
      { file_path: at('user/out/parser.txt'), size_bytes: 11 },
    ]);
    expect(read('events', 'list', '--agent', 'claude-app', '--task-id', parser.id).data.items).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'progress', message: 'parser done' })]),
    );
    const runs = read('work', 'list').data.items;
    expect(
      Object.fromEntries(
        runs.map(({ item_id, status }: { item_id: string; status: string }) => [item_id, status]),
      ),
    ).toEqual({ promoted: 'success', denied: 'denied', failed: 'failure', recorded: 'success' });
  });

  it('keeps its settings and its trust', () => {
    expect(read('config', 'get', 'update.notices').data).toMatchObject({ value: false, source: 'home' });
    expect(read('config', 'get', 'list.limit').data).toMatchObject({ value: 25, source: 'folder' });
  });

  it('passes doctor and the store check', () => {
    const { healthy, checks } = read('doctor').data;
    expect([healthy, checks.filter(({ status }: { status: string }) => status === 'fail')]).toEqual([
      true,
      [],
    ]);
    expect(read('store', 'check').data).toMatchObject({ sound: true });
  });

  it('replays stored answers of old request ids, even after later writes', () => {
    expect(write('config', 'set', 'list.limit', '30', '--request-id', 'setting-2').ok).toBe(true);
    expect(read('config', 'set', 'update.notices', 'false', '--request-id', 'setting-1').data).toMatchObject({
      key: 'update.notices',
      value: false,
      replayed: true,
    });
    const title = ['--title', 'Write the parser', '--project-id', '/srv/app', '--priority', '3'];
    const retry = vybe('task', 'create', ...title, '--request-id', 'store-1');
    expect(retry.data).toMatchObject({
      replayed: true,
      task: { title: 'Write the parser' },
      event_id: expect.any(Number),
    });
    const agent = ['--agent', 'claude-app', '--request-id', 'store-1'];
    const underDeed = read('task', 'create', ...title, ...agent).data;
    expect(underDeed).toEqual({
      ...retry.data,
      event_id: String(retry.data.event_id),
      _untrusted: expect.any(Array),
    });
    const other = vybe('task', 'create', '--title', 'Another', '--request-id', 'store-1');
    expect(other.data).toMatchObject({ replayed: true, payload_mismatch: true });
  });

  it('resumes at the cursor of its agent', () => {
    const first = vybe('resume', '--request-id', 'resume-1').data;
    const next = vybe('resume', '--request-id', 'resume-2').data;
    expect([first.replayed, next.old_cursor]).toEqual([true, first.new_cursor]);
    expect(next.focus_task_id).toBe(read('task', 'next', '--project-id', '/srv/app').data.task.id);
  });

  it('finds its runs and tasks by the start of their ids', () => {
    const run = runOf('promoted');
    expect(read('work', 'show', run.slice('run_'.length, -1)).data.run_id).toBe(run);
    const { id } = read('task', 'next', '--project-id', '/srv/app').data.task;
    expect(read('task', 'get', id.slice(0, -1)).data.id).toBe(id);
  });

  it('replays its runs', async () => {
    const expected = workspaceCapabilities.sandboxed ? { grade: 'exact', matches: true } : { matches: true };
    const replays = ['promoted', 'recorded'].map((item) =>
      deedAsync(['work', 'replay', runOf(item)], options),
    );
    for (const { envelope } of await Promise.all(replays)) expect(envelope.data).toMatchObject(expected);
  });

  it('rolls back a run and adds the receipt of a new run to the same chain', () => {
    expect(readFileSync(at('app/a.txt'), 'utf8')).toBe('one\nmore\n');
    expect(write('work', 'rollback', runOf('promoted')).ok).toBe(true);
    expect(readFileSync(at('app/a.txt'), 'utf8')).toBe('one\n');
    const item = { id: 'later', agent_id: 'shell', description: 'echo later > later.txt' };
    writeFileSync(at('plan.json'), JSON.stringify(item));
    const run = write('work', 'run', at('plan.json'));
    expect(run.ok ? run.data.results[0].status : run.error).toBe('success');
    expect(read('receipt', 'verify').data).toEqual({ checked: 6, valid: true });
  });

  it('exports its store, and the import of that export exports the same bytes', () => {
    const [first, second] = [at('first.ndjson'), at('second.ndjson')];
    const copy = ['--db-path', at('copy.db')];
    expect(write('store', 'export', '--to', first).ok).toBe(true);
    expect(write('store', 'import', '--from', first, ...copy).ok).toBe(true);
    expect(write('store', 'export', '--to', second, ...copy).ok).toBe(true);
    expect(readFileSync(second, 'utf8')).toBe(readFileSync(first, 'utf8'));
  });

  it('shows its triage session', () => {
    const { sessions } = answerOf('pt', ['agent', 'sessions']);
    expect(sessions).toMatchObject([{ state: 'planned' }]);
    const { session_id } = sessions[0];
    expect(answerOf('pt', ['agent', 'status', '--session', session_id])).toMatchObject({ session_id });
    expect(answerOf('pt', ['agent', 'plan', '--session', session_id])).toMatchObject({ session_id });
  });

  it('has its hooks replaced by this version, and removed', () => {
    const settings = (): string => readFileSync(at('user/.claude/settings.json'), 'utf8');
    const plugin = at('user/.config/opencode/plugin/vybe.js');
    const old = 'deed-cli/dist/bin/vybe.cjs';
    expect([settings().includes(old), readFileSync(plugin, 'utf8').includes(old)]).toEqual([true, true]);
    expect(read('status').data.hooks).toEqual({ claude: true, opencode: true });
    expect(write('hook', 'install').ok).toBe(true);
    expect([settings().includes(old), readFileSync(plugin, 'utf8').includes(old)]).toEqual([false, false]);
    expect(settings().match(/hook session-start/gu)).toHaveLength(1);
    expect(write('hook', 'uninstall').ok).toBe(true);
    expect(read('status').data.hooks).toEqual({ claude: false, opencode: false });
  });

  it('deletes nothing by age before a confirmed memory gc', () => {
    const kept = (): { expired_memories: number; stored_requests: number } => read('status').data.maintenance;
    const before = kept();
    expect(before.expired_memories).toBe(1);
    const hook = { ...options, executable: executable('vybe'), input: JSON.stringify({ session_id: 's' }) };
    for (const event of ['checkpoint', 'session-end']) expect(deed(['hook', event], hook).code).toBe(0);
    expect(kept()).toEqual(before);
    const session = at('user/.local/share/process_triage/sessions/sess-20260101-120000-abcdef');
    mkdirSync(session);
    expect(answerOf('pt', ['agent', 'snapshot', '--window', '50ms']).session_id).toMatch(/^sess-/u);
    expect(existsSync(session)).toBe(true);
    expect(write('memory', 'gc').data).toMatchObject({ deleted: 1 });
    expect(kept()).toMatchObject({ expired_memories: 0 });
    expect(JSON.parse(readFileSync(at('user/.deed/retention.json'), 'utf8'))).toEqual({
      deletable_since: '1970-01-01T00:00:00.000Z',
    });
  });

  it('passes all checks at the end', () => {
    expect(read('audit', 'verify').data).toMatchObject({ valid: true });
    expect(read('store', 'check').data).toMatchObject({ sound: true });
  });

  it('loses in a cleanup exactly what the dry run shows', () => {
    const { changes } = read('gc', '--dry-run').data.preview;
    const shown = changes.map(({ resource, after }: { resource: string; after: { removed: number } }) => [
      resource,
      after.removed,
    ]);
    const { parts } = write('gc').data;
    const removed = parts.map(({ part, removed }: { part: string; removed: number }) => [part, removed]);
    expect(removed).toEqual(shown);
    expect(Object.fromEntries(removed)['work']).toBeGreaterThan(0);
    expect(read('receipt', 'verify').data).toMatchObject({ valid: true });
  });
});
