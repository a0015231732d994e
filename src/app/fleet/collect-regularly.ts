import { errorMessage } from '../../base/error-message.ts';
import { sleep } from '../../base/sleep.ts';
import { settingsOf } from '../../config/settings-of.ts';
import type { CommandContext } from '../../contract/command.ts';
import { collectRefs } from '../../work/fleet/collect-refs.ts';
import type { Fleet } from '../../work/fleet/fleet.ts';

const EVERY_MS = 6 * 3_600_000;

/** Deletes old refs of the remote while an integrator serves; several integrators do no harm. */
export function startCollecting(
  context: CommandContext,
  fleet: Fleet,
): { readonly stop: () => Promise<void> } {
  const ending = new AbortController();
  const days = Number(settingsOf(context).get('retention.item_refs_days').value);
  const collecting = (async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        const deleted = await collectRefs(fleet, days);
        if (deleted > 0)
          fleet.report(
            `deleted ${deleted} refs of ended jobs and sessions (retention.item_refs_days: ${days})`,
          );
      } catch (error) {
        fleet.report(`cannot delete old refs: ${errorMessage(error)}`);
      }
      await sleep(EVERY_MS, ending.signal);
    }
  })();
  return {
    stop: async () => {
      ending.abort();
      await collecting;
    },
  };
}
