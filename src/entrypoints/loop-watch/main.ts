import { watchLoop } from '../../app/loop-watch/watch-loop.ts';

/** Watches a loop: reads standard input until the loop has ended. */
export function runLoopWatch([session = '', agent = '', database = '']: readonly string[]): Promise<void> {
  // This process must outlive a signal to all processes of a terminal or a service.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const access = { password: process.env.DEED_STORE_PASSWORD };
  return watchLoop({ session, agent, database, access }, process.stdin as AsyncIterable<Uint8Array>);
}
