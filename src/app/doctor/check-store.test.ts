import { chmodSync, copyFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDoctorContext, type DoctorContext } from '../../../test/fixtures/doctor-context.ts';
import { openSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { checkStore } from './check-store.ts';

let context: DoctorContext;
let path = '';
beforeEach(() => {
  context = createDoctorContext();
  path = join(context.home, 'deed.db');
});
afterEach(() => context.dispose());

test('a store that does not exist or is intact passes', async () => {
  expect(await context.check(checkStore)).toMatchObject({
    status: 'pass',
    message: expect.stringContaining('first use') as string,
  });
  openSqlite(path).close();
  expect(await context.check(checkStore)).toMatchObject({
    status: 'pass',
    message: expect.stringContaining('is intact') as string,
  });
});

test('a damaged store, and a file that is not a store, fail', async () => {
  openSqlite(path).close();
  const other = join(context.home, 'damaged.db');
  copyFileSync(path, other);
  truncateSync(other, 6000);
  await expect(context.check(checkStore, { env: { VYBE_DB_PATH: other } })).rejects.toMatchObject({
    code: 'E_DAMAGED',
  });
  writeFileSync(other, 'this is not a database'.repeat(300));
  await expect(context.check(checkStore, { env: { VYBE_DB_PATH: other } })).rejects.toMatchObject({
    code: 'E_DAMAGED',
  });
  rmSync(other);
});

test.skipIf(process.getuid?.() === 0)('a store that is not writable fails', async () => {
  openSqlite(path).close();
  chmodSync(path, 0o400);
  expect(await context.check(checkStore)).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('is not writable') as string,
  });
});
