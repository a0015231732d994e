import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmInProcess, DEED, runInProcess, VYBE } from '../../test/fixtures/run-in-process.ts';
import type { Envelope, Run } from '../../test/fixtures/run-deed.ts';
import { temporaryFolder } from '../../test/fixtures/temporary-folder.ts';
import { readSchema } from '../contract/read-schema.ts';
import { resolverOf } from '../contract/resolve-ids.ts';

const folder = temporaryFolder('prefixes');
const options = { home: folder.path, env: { DEED_AGENT: 'ada' } };
afterAll(() => folder.dispose());

interface VybeAnswer {
  readonly success: boolean;
  readonly data: Record<string, unknown> & { readonly task?: { readonly id: string } };
}

const deed = (...argv: string[]): Promise<Run> => runInProcess(argv, DEED, options);
const write = (...argv: string[]): Promise<Run> => confirmInProcess(argv, DEED, options);
const vybe = async (...argv: string[]) =>
  JSON.parse((await runInProcess(argv, VYBE, options)).stdout) as VybeAnswer;

/** Tasks of one second: a prefix of six characters means more than one of them. */
const FIRST = 'task_6a2x74g0k3m9p';
const SECOND = 'task_6a2x74g7k3m9q';
const OTHER = 'task_6b00000000000';
/** A task as an import may contain it. */
const ODD = '6b0000';
const RELEASED = 'task_1763294400000000000_0123456789ab';

beforeAll(async () => {
  const { file } = temporaryExport([FIRST, SECOND, OTHER, ODD, RELEASED]);
  expect((await write('store', 'import', '--from', file)).envelope.error).toBeUndefined();
});

/** Writes an export with these tasks. */
function temporaryExport(ids: readonly string[]): { file: string } {
  const file = join(folder.path, 'tasks.ndjson');
  const at = '2026-11-16T12:00:00.000Z';
  const rows = ids.map((id) => ({
    type: 'tasks',
    id,
    title: `Title of ${id}`,
    description: '',
    status: 'pending',
    priority: 0,
    project_id: null,
    blocked_reason: null,
    open_dependencies: 0,
    version: 1,
    claimed_by: null,
    claimed_at: null,
    claim_expires_at: null,
    claim_lease_ms: null,
    created_at: at,
    updated_at: at,
  }));
  const header = { type: 'store', format: 1, schema_version: 1 };
  writeFileSync(file, [header, ...rows].map((row) => `${JSON.stringify(row)}\n`).join(''));
  return { file };
}

describe('a prefix of the id of a task', () => {
  it.each([
    ['with its type', 'task_6a2x74g0', FIRST],
    ['without its type', '6a2x74g7', SECOND],
    ['that is the whole id without its type', FIRST.slice(5), FIRST],
    ['of version 0.1.0', '17632944', RELEASED],
    ['that is the whole id of version 0.1.0', RELEASED, RELEASED],
    ['that is the whole id of another task', ODD, ODD],
  ])('%s is that task', async (_, given, id) => {
    expect((await deed('task', 'get', given)).envelope.data.id).toBe(id);
    expect((await vybe('task', 'get', '--id', given)).data).toMatchObject({ id });
  });

  it('that several ids start with is rejected with the candidates', async () => {
    const { envelope, code } = await deed('task', 'get', '6a2x74');
    expect(code).toBe(2);
    expect(envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      message: 'The id "6a2x74" is ambiguous: 2 ids start with it.',
      details: {
        field: 'id',
        id: '6a2x74',
        candidates: [FIRST, SECOND].map((id) => ({ id, title: `Title of ${id}` })),
        _untrusted: ['candidates[].title'],
        hint: 'Pass more characters, or one of the ids in details.candidates.',
      },
    });
    expect(await vybe('task', 'get', '--id', '6a2x74')).toMatchObject({
      success: false,
      error_code: 'E_VALIDATION',
      error_context: { candidates: [{ id: FIRST }, { id: SECOND }] },
    });
  });

  it('that is too short is rejected, unless no id starts with it', async () => {
    const short = await deed('task', 'get', 'task_6a2x7');
    expect(short.envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      message: 'The id "task_6a2x7" is too short: it has 5 characters.',
      details: { field: 'id', min: 6 },
    });
    expect((await deed('task', 'get', 'nope')).envelope.error?.code).toBe('E_NOT_FOUND');
  });

  it.each(['task_6a2x74gz', 'run_6a2x74g0', '6A2X74G0', '%', '6a2x74g%', '_____________'])(
    '%s that no id starts with is not found',
    async (given) => {
      const { error } = (await deed('task', 'get', given)).envelope;
      expect(error).toMatchObject({ code: 'E_NOT_FOUND', message: `Unknown task: "${given}".` });
    },
  );

  it('and the whole id give the same token, and the audit log has the whole id', async () => {
    const call = (id: string, ...more: string[]) =>
      deed('task', 'set-priority', '--id', id, '--priority', '3', ...more);
    const preview = await call('6a2x74g0', '--dry-run');
    expect(preview.envelope.data.preview.changes).toMatchObject([{ id: FIRST }]);
    const done = await call(FIRST, '--confirm', preview.envelope.data.confirm_token as string);
    expect(done.envelope.data.task).toMatchObject({ id: FIRST, priority: 3 });
    const { items } = (await deed('audit', 'list', '--limit', '1')).envelope.data;
    expect(items).toMatchObject([{ command: 'task set-priority', args: { id: FIRST } }]);
    const again = await call(FIRST, '--dry-run');
    const used = await call('6a2x74g0', '--confirm', again.envelope.data.confirm_token as string);
    expect(used.envelope.data.task).toMatchObject({ id: FIRST });
  });

  it('and the whole id are the same request', async () => {
    const call = (id: string) =>
      vybe('task', 'set-priority', '--id', id, '--priority', '4', '--agent', 'ada', '--request-id', 'same');
    const first = await call('6a2x74g0');
    expect((await call(FIRST)).data).toEqual({ ...first.data, replayed: true });
  });

  it('of a deleted task finds its events, and a retry of the deletion returns the first answer', async () => {
    const created = await vybe(
      'task',
      'create',
      '--title',
      'short-lived',
      '--agent',
      'ada',
      '--request-id',
      'c',
    );
    const id = created.data.task?.id ?? '';
    const remove = () => vybe('task', 'delete', '--id', id.slice(5), '--agent', 'ada', '--request-id', 'd');
    const first = await remove();
    expect(first.data).toMatchObject({ task_id: id });
    expect((await remove()).data).toEqual({ ...first.data, replayed: true });
    const events = await deed('events', 'list', '--task-id', id.slice(0, -1));
    expect(events.envelope.data.items.map(({ kind }: { kind: string }) => kind)).toEqual([
      'task_deleted',
      'task_created',
    ]);
  });

  it('is accepted by every parameter that takes one', async () => {
    const agent = ['--agent', 'ada'];
    const dep = ['--id', '6b000000', '--depends-on', '6a2x74g7'];
    expect((await write('task', 'add-dep', ...dep)).envelope.data).toMatchObject({
      task_id: OTHER,
      depends_on: SECOND,
      message: `${OTHER} depends on ${SECOND} (blocks)`,
    });
    expect((await write('task', 'remove-dep', ...dep)).envelope.data.task_id).toBe(OTHER);
    const push = {
      task_id: '6a2x74g7',
      artifacts: [{ file_path: 'a.txt' }],
      memories: [{ key: 'pushed', value: 'v', scope: 'task', scope_id: '6a2x74g7' }],
    };
    const pushed = await vybe('push', '--json', JSON.stringify(push), ...agent, '--request-id', 'p');
    expect(pushed.success).toBe(true);
    const scope = ['--scope', 'task', '--scope-id', '6a2x74g7'];
    await write('memory', 'set', '--key', 'set', '--value', 'v', ...scope);
    const listed = await vybe('memory', 'list', '--scope', 'task', '--scope-id', SECOND);
    expect(listed.data).toMatchObject({ count: 2, scope_id: SECOND });
    expect(await vybe('memory', 'list', ...scope)).toEqual(listed);
    expect((await deed('memory', 'get', '--key', 'set', ...scope)).envelope.data.scope_id).toBe(SECOND);
    expect((await deed('memory', 'search', 'v', ...scope)).envelope.data.count).toBe(2);
    const files = await vybe('artifacts', 'list', '--task-id', '6a2x74g7');
    expect(files.data).toMatchObject({ task_id: SECOND, count: 1 });
    const brief = await deed('brief', '--focus', '6a2x74g7');
    expect(brief.envelope.data.brief.task.id).toBe(SECOND);
  });

  it('is not resolved in the id of a scope that is not a task, or that is short', async () => {
    const set = async (scope: string, id: string): Promise<Envelope> =>
      (await write('memory', 'set', '--key', 'k', '--value', 'v', '--scope', scope, '--scope-id', id))
        .envelope;
    expect((await set('project', '6a2x74g7')).data.scope_id).toBe('6a2x74g7');
    expect((await set('task', '6a2x')).error).toMatchObject({ code: 'E_NOT_FOUND', details: { id: '6a2x' } });
  });
});

describe('a prefix of the id of a job', () => {
  const JOBS = ['job_6a2x74g0k3m9p', 'job_6a2x74g7k3m9q', 'job_019a8c1b2d3e0123456789ab'];
  beforeAll(() => {
    for (const id of JOBS) {
      const at = join(folder.path, 'jobs', id);
      mkdirSync(at, { recursive: true });
      const job = { id, root: '/', items: [], jobs: 1, createdAt: '2026-11-16T12:00:00.000Z', runs: {} };
      writeFileSync(join(at, 'job.json'), JSON.stringify(job));
    }
  });

  it('is that job, also of version 0.1.0', async () => {
    for (const [given, id] of [
      ['6a2x74g0', JOBS[0]],
      ['job_6a2x74g7', JOBS[1]],
      ['019a8c', JOBS[2]],
      [JOBS[2] ?? '', JOBS[2]],
    ] as const)
      expect((await deed('work', 'status', given)).envelope.data.job_id).toBe(id);
  });

  it('that is ambiguous, too short or unknown is rejected', async () => {
    const codes = await Promise.all(
      ['6a2x74', '6a2x7', '6a2x75', '../jobs', `${JOBS[0]}/..`].map(
        async (given) => (await deed('work', 'status', given)).envelope.error?.code,
      ),
    );
    expect(codes).toEqual(['E_VALIDATION', 'E_VALIDATION', 'E_NOT_FOUND', 'E_NOT_FOUND', 'E_NOT_FOUND']);
    const { error } = (await deed('work', 'status', '6a2x74')).envelope;
    expect(error?.details.candidates).toEqual([{ id: JOBS[1] }, { id: JOBS[0] }]);
  });
});

describe('a parameter with an id', () => {
  /** Ids that callers choose, and numbers. */
  const EXEMPT = new Set(['request_id', 'project_id', 'agent_id', 'since_id']);
  const REFERENCES = new Set([
    'id',
    'ids',
    'depends_on',
    'focus',
    'resume',
    'job',
    'run',
    'session',
    'against',
  ]);

  it('resolves prefixes, in every command', async () => {
    const commands = await DEED.table.loadAll();
    const taking = commands.flatMap(({ path, params }) =>
      Object.entries(params).flatMap(([name, schema]) =>
        (REFERENCES.has(name) || name.endsWith('_id')) &&
        !EXEMPT.has(name) &&
        readSchema(schema, 'input').kind === 'string'
          ? [{ parameter: `${path} ${name}`, resolves: resolverOf(schema) !== undefined }]
          : [],
      ),
    );
    expect(taking.length).toBeGreaterThan(25);
    expect(taking.filter(({ resolves }) => !resolves)).toEqual([]);
  });
});
