/** Returns the processor time that this process has used, in milliseconds. */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
