import type { ToolHost } from '../tool-host.ts';

/** After this a host that does not close is left behind: the result is worth more than a tidy end. */
const CLOSE_GRACE_MS = 15_000;

/** Closes every host. Never throws and never waits for ever. */
export async function closeTools(hosts: readonly ToolHost[], warn: (message: string) => void): Promise<void> {
  await Promise.all(
    hosts.map(async (host) => {
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          warn(`The tools of ${host.name} did not close in ${CLOSE_GRACE_MS} ms.`);
          resolve();
        }, CLOSE_GRACE_MS);
      });
      try {
        await Promise.race([host.close(), tooLong]);
      } catch (error) {
        warn(`The tools of ${host.name} could not be closed: ${String(error)}`);
      } finally {
        clearTimeout(timer);
      }
    }),
  );
}
