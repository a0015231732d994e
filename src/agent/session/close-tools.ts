import type { ToolHost } from '../tool-host.ts';

/** After this time the session returns its result without waiting for hosts that do not close. */
const CLOSE_GRACE_MS = 15_000;

/** Closes every host. Never throws, and waits at most CLOSE_GRACE_MS. */
export async function closeTools(hosts: readonly ToolHost[], warn: (message: string) => void): Promise<void> {
  await Promise.all(
    hosts.map(async (host) => {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          warn(`The tools of ${host.name} did not close within ${CLOSE_GRACE_MS} ms.`);
          resolve();
        }, CLOSE_GRACE_MS);
      });
      try {
        await Promise.race([host.close(), timeout]);
      } catch (error) {
        warn(`Cannot close the tools of ${host.name}: ${String(error)}`);
      } finally {
        clearTimeout(timer);
      }
    }),
  );
}
