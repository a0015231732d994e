import { locateHome } from '../contract/home.ts';
import type { Notice } from '../contract/reply.ts';
import type { Tool } from '../contract/tool.ts';
import type { System } from '../contract/system.ts';
import { settingsOf } from '../config/settings-of.ts';
import { NOTICE_FILE, readUpdateNotice } from '../release/update-notice.ts';

/** The notices of a reply, read from the home without a network request. Contract: does not throw. */
export async function updateNotices(tool: Tool, system: System): Promise<readonly Notice[]> {
  const home = locateHome(tool, system);
  const notice = await readUpdateNotice(home.at(NOTICE_FILE), tool.version);
  return notice !== undefined && isEnabled(tool, system, home.path) ? [notice] : [];
}

function isEnabled(tool: Tool, system: System, homePath: string): boolean {
  try {
    const settings = settingsOf({ tool, system, home: { path: homePath } });
    return settings.get('update.notices').value !== false;
  } catch {
    // An invalid configuration does not disable notices; the command itself reports it.
    return true;
  }
}
