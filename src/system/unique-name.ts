let count = 0;

/**
 * Makes a name that no other process has: for temporary files and locks in folders that only this account can write. It may be
 * guessed, so it is no secret; what must be one uses `randomId`, which takes longer to draw.
 */
export function uniqueName(): string {
  count += 1;
  const { pid, hrtime } = process;
  return `${pid.toString(36)}-${Date.now().toString(36)}-${count}-${hrtime.bigint().toString(36)}`;
}
