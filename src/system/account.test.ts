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

/** A uid that no machine gives to anybody. */
const NOBODYS = 3_999_999_999;

test('the name of a uid is the one in the user database', () => {
  const database = join(folder, 'passwd');
  writeFileSync(
    database,
    `root:x:0:0::/root:/bin/sh\nada:x:${NOBODYS}:1::/home/ada:/bin/sh\nlater:x:${NOBODYS}:1::/:/bin/sh\n`,
  );
  expect(accountName(NOBODYS, database)).toBe('ada');
});

test('a uid that the file does not have is looked up by the system', () => {
  const database = join(folder, 'passwd');
  writeFileSync(database, 'ada:x:12:1::/home/ada:/bin/sh\n\n#a comment\nbroken\n');
  expect(accountName(0, database)).toBe('root');
});

test('a uid without an entry anywhere is shown as a number, with or without a file', () => {
  expect(accountName(NOBODYS)).toBe(`uid ${NOBODYS}`);
  expect(accountName(NOBODYS, join(folder, 'missing'))).toBe(`uid ${NOBODYS}`);
});

test('the uid is that of this process', () => {
  expect(ownUid()).toBe(process.getuid?.());
});
