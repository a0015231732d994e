let count = 0;

/**
 * Creates a name that no other process has: for temporary files and locks in folders that only this account can write. It can be
 * guessed; use `randomId`, which is slower, for secrets.
 */
export function uniqueName(): string {
  count += 1;
  const { pid, hrtime } = process;
  return `${pid.toString(36)}-${Date.now().toString(36)}-${count}-${hrtime.bigint().toString(36)}`;
}
