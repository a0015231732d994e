import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOnPostgres } from '../../../../test/fixtures/store-environment.ts';
import { createStore, type TemporaryStore } from '../../../../test/fixtures/temporary-store.ts';
import { PERSON } from '../../person.ts';
import { readNotes } from '../../brief/read-notes.ts';
import { readSessionFacts } from '../../brief/read-session-facts.ts';
import { appendEvent } from '../../events/event.ts';
import { importSource, previewImport, type ImportResult } from '../../imports/import-source.ts';
import type { MemoryKind } from '../../memory/memory.ts';
import { findMemories } from '../../memory/search/search-memories.ts';
import { forgetMemory, setMemory } from '../../memory/write-memory.ts';
import { applyPush } from '../../push/apply-push.ts';
import { addDependency, removeDependency } from '../../tasks/link-tasks.ts';
import { claimTask } from '../../tasks/claim-task.ts';
import { editTask } from '../../tasks/edit-task.ts';
import { completeTask, createTask, deleteTask, setPriority, setStatus } from '../../tasks/write-task.ts';
import { requireTask } from '../../tasks/task.ts';
import { exportTo } from '../store-files.ts';
import type { OnImport } from './on-import.ts';
import type { MergeReport } from './merge-report.ts';

let here: TemporaryStore;
let there: TemporaryStore;
let files = 0;
beforeEach(() => {
  here = createStore();
  there = createStore();
});
afterEach(() => {
  here.dispose();
  there.dispose();
});

const waitBoth = (ms = 1000): void => [here, there].forEach((store) => store.wait(ms));
const person = `${PERSON}ada`;

async function send(
  from: TemporaryStore,
  to: TemporaryStore,
  since?: string,
  caller = person,
  onRows?: OnImport,
): Promise<MergeReport> {
  const path = join(from.folder, `export-${(files += 1)}.ndjson`);
  await exportTo(from.database, path, { since });
  const source = { format: 'deed', path, projectId: undefined } as const;
  const result: ImportResult = await importSource(to.database, {
    source,
    caller,
    at: to.at(),
    readVybeTables: () => undefined,
    onRows,
  });
  if (result.kind === 'copied') throw new Error('the store was empty');
  return result.report;
}

/** The content of a store without the numbers of its machine. */
async function stateOf(store: TemporaryStore): Promise<string[]> {
  const path = join(store.folder, `state-${(files += 1)}.ndjson`);
  await exportTo(store.database, path);
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => !['agent_states', 'requests', 'lost_claims'].includes(String(type)));
  const memories = new Map(
    rows
      .filter(({ type }) => type === 'memories')
      .map((row) => [row.id, `${String(row.value)} ${String(row.updated_at)}`]),
  );
  return rows
    .map(({ type, id, event_id: _event, superseded_by, ...row }) =>
      JSON.stringify({
        type,
        ...(typeof id === 'string' && { id }),
        ...(typeof superseded_by === 'number' && { superseded_by: memories.get(superseded_by) }),
        ...row,
      }),
    )
    .sort();
}

async function exchange(): Promise<[MergeReport, MergeReport]> {
  const reports: [MergeReport, MergeReport] = [await send(here, there), await send(there, here)];
  expect(await stateOf(here)).toEqual(await stateOf(there));
  return reports;
}

const create = (store: TemporaryStore, title: string): Promise<string> =>
  store.as(
    'a',
    async (scope) =>
      (await createTask(scope, { title, description: '', projectId: 'app', priority: 0 })).row.id,
  );
const remember = (
  store: TemporaryStore,
  key: string,
  value: string,
  agent = 'a',
  kind: MemoryKind = 'fact',
) =>
  store.as(agent, (scope) =>
    setMemory(scope, {
      scope: 'project',
      scope_id: 'app',
      key,
      value,
      valueType: 'string',
      kind,
      expiresAt: null,
    }),
  );
const noteOn = (store: TemporaryStore, task: string, key: string): Promise<unknown> => {
  const place = { scope: 'task', scope_id: task, key } as const;
  return store.as('b', (scope) =>
    setMemory(scope, { ...place, value: 'wombat', valueType: 'string', expiresAt: null }),
  );
};
const valueOf = async (store: TemporaryStore, words: string): Promise<string[]> =>
  (await findMemories(store.database, { words, limit: 10, offset: 0 }, store.at())).map(({ value }) => value);
const taskOf = (store: TemporaryStore, id: string) => requireTask(store.database, id);

/** Both stores have the same two tasks and one memory. */
async function share(): Promise<[string, string]> {
  const ids: [string, string] = [
    await create(here, 'Parse the file'),
    await create(here, 'Write the report'),
  ];
  await remember(here, 'port', 'port 8080');
  await remember(there, 'other', 'colour blue');
  waitBoth();
  await exchange();
  waitBoth();
  return ids;
}

describe('two machines that exchange exports', () => {
  it('have the same tasks, events and memories, and a second exchange changes nothing', async () => {
    const [task] = await share();
    await there.as('b', async (scope) => {
      await claimTask(scope, await requireTask(scope.db, task), {});
      await applyPush(scope, {
        taskId: task,
        event: { kind: 'progress', message: 'half of it' },
        memories: [],
        artifacts: [{ filePath: 'report.md' }],
      });
    });
    await remember(here, 'host', 'host example.org');
    await exchange();
    expect(await valueOf(here, 'colour')).toEqual(['colour blue']);
    expect(await valueOf(there, 'example')).toEqual(['host example.org']);
    expect(await taskOf(here, task)).toMatchObject({ status: 'in_progress', claimed_by: 'b' });
    const [again] = await exchange();
    expect(again.imported).toEqual({ tasks: 0, dependencies: 0, events: 0, memories: 0, artifacts: 0 });
    expect(again.changed).toEqual(again.imported);
    expect(await here.database.check()).toEqual([]);
  });

  it('keep the later status and the later priority of a task that both changed', async () => {
    const [task] = await share();
    await here.as('a', (scope) => completeTask(scope, task, { outcome: 'done', summary: 'parsed' }));
    there.wait(5000);
    await there.as('b', (scope) => setPriority(scope, task, 7));
    const [report] = await exchange();
    expect(report.conflicts).toEqual([]);
    expect(await taskOf(there, task)).toMatchObject({ status: 'completed', priority: 7 });

    waitBoth(10_000);
    await here.as('a', (scope) => setPriority(scope, task, 3));
    there.wait(1000);
    await there.as('b', (scope) => setPriority(scope, task, 9));
    const [second] = await exchange();
    expect(second.conflicts).toEqual([
      {
        resource: 'task',
        id: task,
        reason: 'priority is "9" here and "3" there: the later change, "9", is kept',
      },
    ]);
    expect(await taskOf(here, task)).toMatchObject({ status: 'completed', priority: 9 });
  });

  it('keep the later value of a memory that both set, and report it', async () => {
    await share();
    await remember(here, 'port', 'port 9090', 'a');
    waitBoth();
    await remember(there, 'port', 'port 7070', 'b');
    const [report] = await exchange();
    expect(report.conflicts).toEqual([
      {
        resource: 'memory',
        id: 'project/app/port',
        reason: 'both sides set it: the value here is kept (the later value is kept)',
      },
    ]);
    expect([await valueOf(here, 'port'), await valueOf(there, 'port')]).toEqual([
      ['port 7070'],
      ['port 7070'],
    ]);
  });

  it("keep a person's directive, even if an agent wrote later", async () => {
    await share();
    await remember(here, 'port', 'port 9090, always', person, 'directive');
    waitBoth();
    await remember(there, 'port', 'port 7070', 'b');
    const [report] = await exchange();
    expect(report.conflicts[0]?.reason).toContain('a directive of a person comes first');
    expect(await valueOf(there, 'port')).toEqual(['port 9090, always']);
    const viewpoint = { agent: 'b', projectId: 'app', taskId: undefined };
    expect((await readNotes(there.database, viewpoint, 'port', there.at())).standing).toMatchObject([
      { key: 'port' },
    ]);
  });

  it('keep a directive out if an agent imports it', async () => {
    await share();
    await remember(here, 'rule', 'never deploy', person, 'directive');
    const report = await send(here, there, undefined, 'agent');
    expect(report.skipped).toEqual([
      { resource: 'memory', id: 'project/app/rule', reason: 'only a person can import a directive' },
    ]);
    expect(await valueOf(there, 'deploy')).toEqual([]);
  });

  it('agree about deletions: what was changed later stays, the rest is deleted', async () => {
    const [first, second] = await share();
    await here.as('a', (scope) => deleteTask(scope, first));
    await here.as('a', (scope) => deleteTask(scope, second));
    await here.as('a', (scope) => forgetMemory(scope, { scope: 'project', scope_id: 'app', key: 'port' }));
    waitBoth();
    await there.as('b', (scope) => setPriority(scope, second, 1));
    const [report] = await exchange();
    await expect(taskOf(there, first)).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
    expect(await taskOf(here, second)).toMatchObject({ priority: 1 });
    expect(report.conflicts).toMatchObject([{ id: second }]);
    expect(await valueOf(there, 'port')).toEqual([]);
  });

  it('forget the memories of a deleted task, also those that the other side wrote', async () => {
    const [first] = await share();
    await noteOn(there, first, 'before');
    waitBoth();
    await here.as('a', (scope) => deleteTask(scope, first));
    waitBoth();
    await noteOn(there, first, 'after');
    await exchange();
    expect(await valueOf(there, 'wombat')).toEqual([]);
    expect(await valueOf(here, 'wombat')).toEqual([]);
    const [again] = await exchange();
    expect(again.changed).toMatchObject({ memories: 0 });
  });

  it('agree when both added the same dependency', async () => {
    const [first, second] = await share();
    await here.as('a', (scope) => addDependency(scope, first, second, 'blocks'));
    waitBoth();
    await there.as('b', (scope) => addDependency(scope, first, second, 'blocks'));
    await exchange();
    expect(await stateOf(here)).toEqual(await stateOf(there));
  });

  it('keep a new title when the other side changes the status later', async () => {
    const [id] = await share();
    await here.as('a', (scope) => editTask(scope, id, { title: 'Clearer' }));
    waitBoth();
    await there.as('b', (scope) => setStatus(scope, id, 'blocked', 'waits'));
    await exchange();
    for (const store of [here, there])
      expect(await taskOf(store, id)).toMatchObject({ title: 'Clearer', status: 'blocked' });
    expect(await stateOf(here)).toEqual(await stateOf(there));
  });

  it('agree about dependencies, and drop the last one of a cycle', async () => {
    const [first, second] = await share();
    await here.as('a', (scope) => addDependency(scope, first, second, 'blocks'));
    waitBoth();
    await there.as('b', (scope) => addDependency(scope, second, first, 'blocks'));
    const [report] = await exchange();
    expect(report.conflicts).toMatchObject([{ resource: 'dependency', id: `${second} → ${first}` }]);
    expect(await taskOf(there, first)).toMatchObject({ status: 'blocked', open_dependencies: 1 });
    expect(await taskOf(there, second)).toMatchObject({ open_dependencies: 0 });
    waitBoth();
    await here.as('a', (scope) => removeDependency(scope, first, second));
    await exchange();
    expect(await taskOf(there, first)).toMatchObject({ status: 'pending', open_dependencies: 0 });
  });

  it('can exchange only what changed since an event or a time', async () => {
    await share();
    const since = there.at();
    await create(here, 'Newer');
    await remember(here, 'port', 'port 1');
    const report = await send(here, there, since);
    expect([report.imported, report.unchanged]).toMatchObject([
      { tasks: 1, memories: 1 },
      { tasks: 0, events: 0 },
    ]);
    await exchange();
    const known = await send(here, there, '100000');
    expect(known.imported.events + known.unchanged.events).toBe(0);
  });

  it('show the requests of both in the order of their time', async () => {
    await share();
    const ask = (store: TemporaryStore, message: string) =>
      store.as('claude', (scope) => appendEvent(scope, { kind: 'user_prompt', message, projectId: 'app' }));
    await ask(there, 'First rename the module please');
    waitBoth();
    await ask(here, 'Then write the release notes');
    await exchange();
    const requests = async (store: TemporaryStore): Promise<string[]> =>
      (await readSessionFacts(store.database, 'app', undefined)).requests.map(({ message }) => message);
    const expected = ['Then write the release notes', 'First rename the module please'];
    expect([await requests(here), await requests(there)]).toEqual([expected, expected]);
  });

  it('see in the preview what the import will do', async () => {
    await share();
    await create(here, 'Another');
    const path = join(here.folder, 'preview.ndjson');
    await exportTo(here.database, path);
    const call = {
      source: { format: 'deed', path, projectId: undefined },
      caller: person,
      at: there.at(),
      readVybeTables: () => undefined,
    } as const;
    const before = await stateOf(there);
    expect(await previewImport(there.database, call)).toMatchObject({ imported: { tasks: 1, events: 1 } });
    expect(await stateOf(there)).toEqual(before);
  });
});

it.skipIf(isOnPostgres())('while many events are compared, other processes can write', async () => {
  const EVENTS = 3000;
  const steps = new Set<string>();
  await there.as('grace', (scope) => appendEvent(scope, { kind: 'note', message: 'first' }));
  await here.as('ada', async (scope) => {
    for (let count = 0; count < EVENTS; count += 1)
      await appendEvent(scope, { kind: 'note', message: `note ${count}` });
  });
  await remember(here, 'editor', 'vim');
  const other = new DatabaseSync(there.path);
  const report = await send(here, there, undefined, person, (_rows, done) => {
    steps.add(done);
    // Throws if the store is locked. The event is one that is being imported.
    if (done === 'imported')
      other.exec(
        `INSERT INTO events (kind, agent_name, message, metadata, created_at) VALUES ('note', 'ada', 'note 7', '{}', '${here.at()}')`,
      );
  });
  expect([...steps]).toEqual(['read', 'imported']);
  expect([report.imported.events, report.unchanged.events]).toEqual([EVENTS, 1]);
  const listed =
    "SELECT count(*) AS rows, count(DISTINCT message) AS messages FROM events WHERE kind = 'note'";
  expect(other.prepare(listed).get()).toMatchObject({ rows: EVENTS + 1, messages: EVENTS + 1 });
  const source = 'SELECT events.kind FROM events JOIN memories ON event_id = events.id';
  expect(other.prepare(source).all()).toEqual([{ kind: 'memory_set' }]);
  other.close();
  expect((await send(here, there)).imported.events).toBe(0);
});

it('any changes on two machines converge to the same state', async () => {
  const change = fc.record({
    side: fc.boolean(),
    at: fc.integer({ min: 0, max: 2 }),
    what: fc.constantFrom(
      'done',
      'open',
      'priority',
      'edit',
      'set',
      'same',
      'forget',
      'note',
      'delete',
      'link',
      'unlink',
      'exchange',
    ),
    number: fc.integer({ min: 0, max: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 14 }), async (changes) => {
      here.dispose();
      there.dispose();
      here = createStore();
      there = createStore();
      const ids = await share();
      for (const { side, at, what, number } of changes) {
        const store = side ? here : there;
        store.wait(at);
        const [id, other] = number === 0 ? ids : ids.toReversed();
        const apply: Record<string, () => Promise<unknown>> = {
          done: () =>
            store.as('a', (scope) => completeTask(scope, id as string, { outcome: 'done', summary: 's' })),
          open: () => store.as('b', (scope) => setStatus(scope, id as string, 'pending', null)),
          priority: () => store.as('b', (scope) => setPriority(scope, id as string, number)),
          edit: () => store.as('b', (scope) => editTask(scope, id as string, { title: `title ${number}` })),
          set: () => remember(store, 'port', `port ${number}`, side ? 'a' : 'b'),
          same: () => remember(store, 'port', 'port 8080'),
          forget: () =>
            store.as('a', (scope) => forgetMemory(scope, { scope: 'project', scope_id: 'app', key: 'port' })),
          note: () => noteOn(store, id as string, `note ${number}`),
          delete: () => store.as('a', (scope) => deleteTask(scope, id as string)),
          link: () => store.as('a', (scope) => addDependency(scope, id as string, other as string, 'blocks')),
          unlink: () => store.as('a', (scope) => removeDependency(scope, id as string, other as string)),
          exchange: () => send(here, there),
        };
        // A change that is not possible in this state, such as a second deletion, is skipped.
        await apply[what]?.().catch(() => undefined);
      }
      await send(here, there);
      await send(there, here);
      await send(here, there);
      expect(await stateOf(here)).toEqual(await stateOf(there));
    }),
    { numRuns: process.env.DEED_TEST_LONG === '1' ? 100 : 8 },
  );
}, 60_000);
