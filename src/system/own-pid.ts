/** The pid of this process. */
export function ownPid(): number {
  return process.pid;
}
