import type { IncomingMessage } from 'node:http';

/** Counts the host headers: only the first would be checked, and a proxy may have used another one. */
export function countHosts({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}
