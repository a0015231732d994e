import { deedTool } from '../../app/deed-tool.ts';
import { copyIfRequested } from '../../app/store-backups.ts';
import { findHomeFault } from '../../contract/find-home-fault.ts';
import { locateHome } from '../../contract/home.ts';
import { processSystem } from '../cli/process-system.ts';

/** Copies the store of the home of this process, if a call has asked for it, and exits. */
export async function runStoreCopy(): Promise<void> {
  const system = processSystem();
  const home = locateHome(deedTool, system);
  if (findHomeFault(home, deedTool, system.account.euid) === undefined)
    copyIfRequested({ tool: deedTool, system, home });
}
