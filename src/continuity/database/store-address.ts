import { Fault } from '../../base/fault.ts';

/** Whether the address of a store is a URL of Postgres; otherwise it is the path of a SQLite file. */
export function isPostgresUrl(address: string): boolean {
  return address.startsWith('postgres://') || address.startsWith('postgresql://');
}

/** Rejects a URL with a password, which lists of processes, logs and answers would show. The message does not contain the URL. */
export function assertNoPassword(url: string): void {
  if (!/^[a-z]+:\/\/[^/?#@]*:[^/?#]*@/u.test(url)) return;
  throw new Fault('E_VALIDATION', 'The URL of the store contains a password, which other users could see.', {
    hint: 'Change the password. Write it to a file with mode 0600 and pass ?password_file=<file>, or set DEED_STORE_PASSWORD.',
    details: { field: 'url', reason: 'password' },
    unchanged: true,
  });
}
