import { Fault } from '../base/fault.ts';
import type { UpdateRun } from './update-run.ts';

/**
 * Records the version that is installed after a package manager exited. A missing or damaged package takes precedence over the error of
 * the manager.
 */
export function recordInstalledVersion(
  found: string | undefined,
  install: { readonly method: string; readonly packageRoot: string },
  run: UpdateRun,
): void {
  if (found === undefined) {
    run.installDamaged = true;
    const manager = install.method.startsWith('npm') ? 'npm' : install.method;
    throw new Fault(
      'E_IO',
      `${manager} was interrupted, and the package at ${install.packageRoot} is missing or incomplete.`,
      {
        hint: `Repair it with: ${run.command ?? `${manager} install`}.`,
        details: { path: install.packageRoot },
      },
    );
  }
  if (found === run.currentVersion) return;
  run.currentVersion = found;
  run.binaryReplaced = true;
  run.skillSyncStatus = 'pending';
}
