import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { STORE_SCHEMA_VERSION } from '../../src/continuity/database/sqlite/migrations.ts';
import { nodeCommand, unpackHome, unpackProgram } from '../fixtures/release-0.1.0.ts';
import { confirmedAsync, deedAsync, type Envelope, type RunOptions } from '../fixtures/run-deed.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { LONG } from '../fixtures/start-node.ts';

/** The released program of 0.1.0 on a home that this version has written to. */
describe('the program of 0.1.0', () => {
  const folder = temporaryFolder('back');
  const program = join(folder.path, 'deed-cli');
  const options: RunOptions = { home: join(folder.path, 'user/.deed'), cwd: folder.path };
  const older = async (...argv: string[]): Promise<Envelope> =>
    (await deedAsync(argv, { ...options, executable: nodeCommand(program) })).envelope;
  beforeAll(() => unpackProgram(program));
  beforeEach(() => {
    rmSync(join(folder.path, 'user'), { recursive: true, force: true });
    unpackHome(folder.path);
  });
  afterAll(() => folder.dispose());

  it.runIf(LONG)(
    'reads settings and the audit log of this version, and the store until this version writes to it',
    async () => {
      const set = await confirmedAsync(['config', 'set', 'list.limit', '30'], options);
      const listed = await deedAsync(['task', 'list'], options);
      expect([set.envelope.ok, listed.envelope.ok]).toEqual([true, true]);
      const [tasks, limit, audit, store] = await Promise.all([
        older('task', 'list'),
        older('config', 'get', 'list.limit'),
        older('audit', 'verify'),
        older('store', 'check'),
      ]);
      expect(tasks.data.items).toHaveLength(listed.envelope.data.items.length);
      expect([limit.data, audit.data, store.data]).toMatchObject([
        { value: 30 },
        { valid: true },
        { sound: true },
      ]);
    },
  );

  it.runIf(LONG)('verifies the receipts of runs of this version, but does not list these runs', async () => {
    const item = { id: 'later', agent_id: 'shell', description: 'echo later > later.txt' };
    writeFileSync(join(folder.path, 'plan.json'), JSON.stringify(item));
    const tree = ['--root', join(folder.path, 'app')];
    const run = await confirmedAsync(['work', 'run', join(folder.path, 'plan.json'), ...tree], options);
    expect(run.envelope.error).toBeUndefined();
    const [verified, listed] = await Promise.all([older('receipt', 'verify'), older('work', 'list')]);
    expect(verified.data).toEqual({ checked: 5, valid: true });
    const { run_id } = run.envelope.data.results[0];
    expect(listed.data.items).not.toContainEqual(expect.objectContaining({ run_id }));
  });

  it('rejects a store with a newer schema version with a clear error, and does not change it', async () => {
    const path = join(folder.path, 'user/.deed/deed.db');
    const created = await confirmedAsync(['task', 'create', '--title', 'Written later'], options);
    expect(created.envelope.error).toBeUndefined();
    const before = readFileSync(path);
    const refusal = {
      code: 'E_CONFIG',
      message: `The database ${path} was written by a newer version of this program.`,
      details: {
        schema_version: STORE_SCHEMA_VERSION,
        supported: 1,
        hint: expect.stringContaining('deed update'),
      },
    };
    const rejected = [older('task', 'list'), older('task', 'create', '--title', 'x', '--dry-run')];
    for (const { error } of await Promise.all(rejected)) expect(error).toMatchObject(refusal);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
