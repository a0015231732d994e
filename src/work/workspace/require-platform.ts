import { Fault } from '../../base/fault.ts';
import type { WorkspaceContext, WorkspaceMode } from './workspace.ts';

/**
 * Refuses to run commands where nothing can confine them, unless copies were asked for: a copy protects the tree, and not the machine
 * from the command. On Linux the machine is tried instead.
 */
export function requirePlatform({ platform }: WorkspaceContext, mode: WorkspaceMode | undefined): void {
  if (platform === 'linux' || mode === 'copy') return;
  throw new Fault('E_CONFIG', `Work is confined by means of Linux; this is ${platform}.`, {
    hint: 'Run it on Linux, or let commands run unconfined on a copy of the tree: config set work.workspace copy',
    details: { platform, setting: 'work.workspace' },
  });
}
