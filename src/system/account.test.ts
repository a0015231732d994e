import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountName, ownUid } from './account.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-account-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A uid that no account has. */
const UNUSED_UID = 3_999_999_999;

test('the name of a uid comes from the user database', () => {
  const database = join(folder, 'passwd');
  writeFileSync(
    database,
    `root:x:0:0::/root:/bin/sh\nada:x:${UNUSED_UID}:1::/home/ada:/bin/sh\nlater:x:${UNUSED_UID}:1::/:/bin/sh\n`,
  );
  expect(accountName(UNUSED_UID, database)).toBe('ada');
});

test('a uid that is not in the file is looked up with id', () => {
  const database = join(folder, 'passwd');
  writeFileSync(database, 'ada:x:12:1::/home/ada:/bin/sh\n\n#a comment\nbroken\n');
  expect(accountName(0, database)).toBe('root');
});

test('a uid without an entry is shown as a number, with or without a file', () => {
  expect(accountName(UNUSED_UID)).toBe(`uid ${UNUSED_UID}`);
  expect(accountName(UNUSED_UID, join(folder, 'missing'))).toBe(`uid ${UNUSED_UID}`);
});

test('the uid is that of this process', () => {
  expect(ownUid()).toBe(process.getuid?.());
});
