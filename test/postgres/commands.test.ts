import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { confirmed, deed, type Run } from '../fixtures/run-deed.ts';
import { newPostgresUrl } from '../fixtures/store-environment.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

describe.skipIf(findPostgres() === undefined)('the commands of a store on Postgres', () => {
  let home: ReturnType<typeof temporaryFolder>;
  beforeEach(() => (home = temporaryFolder('shared')));
  afterEach(() => home.dispose());
  // The store of the home, not the one that this project sets for other tests.
  const options = () => ({ home: home.path, cwd: home.path, env: { VYBE_DB_PATH: '' } });
  const read = (...argv: string[]): Run => deed(argv, options());
  const write = (...argv: string[]): Run => confirmed(argv, options());

  it('copy a store to Postgres, use it, check it, and return to the file', () => {
    const url = newPostgresUrl();
    const task = write('task', 'create', '--title', 'on the file').envelope.data.task.id as string;
    write('memory', 'set', '--key', 'k', '--value', 'tests are running');
    const copied = write('store', 'copy', '--to', url).envelope;
    expect([copied.data.from, copied.data.to]).toEqual([join(home.path, 'deed.db'), url]);
    expect(write('store', 'use', url).envelope.data).toEqual({
      address: url,
      previous: join(home.path, 'deed.db'),
      schema_version: 6,
    });
    expect(read('task', 'get', '--id', task).envelope.data.title).toBe('on the file');
    expect(read('memory', 'search', '--query', 'run').envelope.data.count).toBe(1);
    write('task', 'create', '--title', 'on Postgres');
    expect(read('status').envelope.data.db).toMatchObject({ path: url, ok: true, exists: true });
    expect(read('store', 'check').envelope.data).toEqual({ path: url, schema_version: 6, sound: true });
    const { checks } = read('doctor').envelope.data as {
      checks: { check: string; status: string; message: string }[];
    };
    // The server of the tests does not flush.
    expect(checks.find(({ check }) => check === 'store')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('fsync is off') as string,
    });
    expect(write('store', 'export', '--to', 'shared.ndjson').envelope.ok).toBe(true);
    expect(write('store', 'import', '--from', 'shared.ndjson', '--db-path', 'copy.db').envelope.ok).toBe(
      true,
    );
    expect(write('store', 'export', '--to', 'copy.ndjson', '--db-path', 'copy.db').envelope.ok).toBe(true);
    expect(readFileSync(join(home.path, 'copy.ndjson'), 'utf8')).toBe(
      readFileSync(join(home.path, 'shared.ndjson'), 'utf8'),
    );
    expect(write('store', 'copy', '--to', url, '--db-path', 'copy.db').envelope.error?.code).toBe(
      'E_CONFLICT',
    );
    for (const argv of [['backup', '--to', 'b.db'], ['vacuum'], ['restore']])
      expect(write('store', ...argv).envelope.error?.code, argv[0]).toBe('E_CONFIG');
    expect(write('store', 'use', 'home').envelope.ok).toBe(true);
    expect(read('task', 'list').envelope.data.count).toBe(1);
  });

  it('report a lost or damaged configuration, and never fall back to the file silently', () => {
    const url = newPostgresUrl();
    write('store', 'use', url);
    write('task', 'create', '--title', 'on Postgres');
    const config = join(home.path, 'config.json');
    const text = readFileSync(config, 'utf8');
    for (const damaged of ['', text.slice(0, text.length / 2)]) {
      writeFileSync(config, damaged);
      for (const argv of [['task', 'list'], ['status'], ['store', 'check']])
        expect([argv[0], read(...argv).envelope.error?.code]).toEqual([argv[0], 'E_CONFIG']);
    }
    rmSync(config);
    const check = (): { status: string; fix: string | null } =>
      read('doctor').envelope.data.checks.find(({ check: name }: { check: string }) => name === 'store');
    expect([check().status, check().fix]).toEqual(['fail', expect.stringContaining(`store use ${url}`)]);
    expect(write('store', 'use', url).envelope.ok).toBe(true);
    expect(read('task', 'list').envelope.data.count).toBe(1);
    expect(write('store', 'use', 'home').envelope.ok).toBe(true);
    expect(check().status).toBe('pass');
  });

  it('never write a password to the audit log, the configuration or an answer', () => {
    const secret = 'geheim42';
    const url = `postgres://agent:${secret}@db.example.com/deed`;
    for (const argv of [
      ['store', 'use', url, '--dry-run'],
      ['store', 'copy', '--to', url, '--dry-run'],
      ['status', '--db-path', url],
      ['config', 'set', 'store.url', url, '--dry-run'],
    ]) {
      const { stdout, stderr, envelope } = read(...argv);
      expect(envelope.error?.code, argv.join(' ')).toBe('E_VALIDATION');
      expect(`${stdout}${stderr}`).not.toContain(secret);
    }
    for (const file of readdirSync(home.path, { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(readFileSync(join(file.parentPath, file.name), 'utf8'), file.name).not.toContain(secret);
  });
});
