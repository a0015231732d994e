import { deedTool } from '../../app/deed-tool.ts';
import { recordCopy } from '../../app/store-backups.ts';
import { locateHome } from '../../contract/home.ts';
import { processSystem } from '../cli/process-system.ts';

/** Copies the store of the home of this process, and exits. */
export async function runStoreCopy([keep = '', nowMs = '']: readonly string[]): Promise<void> {
  recordCopy(locateHome(deedTool, processSystem()), Number(keep), Number(nowMs));
}
