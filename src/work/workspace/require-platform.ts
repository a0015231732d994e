import { Fault } from '../../base/fault.ts';
import type { WorkspaceContext, WorkspaceMode } from './workspace.ts';

/**
 * Rejects platforms without a sandbox unless the `copy` mode was requested: a copy protects the tree, but not the machine. On Linux
 * the sandbox is tested when a workspace is opened.
 */
export function requirePlatform({ platform }: WorkspaceContext, mode: WorkspaceMode | undefined): void {
  if (platform === 'linux' || mode === 'copy') return;
  throw new Fault('E_CONFIG', `The sandbox requires Linux; this is ${platform}.`, {
    hint: 'Use Linux, or run commands unsandboxed on a copy of the tree: config set work.workspace copy',
    details: { platform, setting: 'work.workspace' },
  });
}
