import { settingsOf } from '../../config/settings-of.ts';
import type { CommandContext } from '../../contract/command.ts';
import { collectRefs } from '../../work/fleet/collect-refs.ts';
import type { Fleet } from '../../work/fleet/fleet.ts';
import { repeat, type Repeated } from './repeat.ts';

const PACE = { firstMs: 0, everyMs: 6 * 3_600_000 };

/** Deletes old refs of the remote while an integrator serves; several integrators can do this at the same time. */
export function startCollecting(context: CommandContext, fleet: Fleet): Repeated {
  const days = Number(settingsOf(context).get('retention.item_refs_days').value);
  const collect = async (): Promise<void> => {
    const deleted = await collectRefs(fleet, days);
    if (deleted > 0)
      fleet.report(`deleted ${deleted} refs of ended jobs and sessions (retention.item_refs_days: ${days})`);
  };
  return repeat(PACE, collect, (why) => fleet.report(`cannot delete old refs: ${why}`));
}
