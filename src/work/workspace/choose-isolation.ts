import { Fault } from '../../base/fault.ts';
import type { Isolation } from './isolation.ts';
import { isolationGaps } from './isolation.ts';
import type { OpenWorkspaceOptions, WorkspaceContext, WorkspaceProbe } from './workspace.ts';

/**
 * Returns the isolation of a new workspace. Contract: rejects with E_CONFIG if commands would not be confined and the caller has not
 * consented; root under Landlock counts as not confined, because Landlock does not restrict modes and owners of files.
 */
export function chooseIsolation(
  context: Pick<WorkspaceContext, 'uid'>,
  probe: WorkspaceProbe,
  { allowUnsandboxed = false }: Pick<OpenWorkspaceOptions, 'allowUnsandboxed'>,
): Isolation {
  const rootUnderLandlock = probe.isolation === 'landlock' && context.uid === 0;
  if ((probe.isolation !== 'none' && !rootUnderLandlock) || allowUnsandboxed) return probe.isolation;
  const why = rootUnderLandlock
    ? 'Landlock cannot confine root.'
    : probe.problems.map(({ what }) => what).join(' ');
  const fixes = [...new Set(probe.problems.map(({ fix }) => fix))].join(' ');
  throw new Fault('E_CONFIG', `This machine cannot confine the commands of a run: ${why}`, {
    hint:
      `${fixes} To run them unsandboxed, with access to everything that this account can read and write, ` +
      'pass --allow-unsandboxed, or set work.allow_unsandboxed to true.',
    details: {
      reason: 'unsandboxed',
      isolation: probe.isolation,
      option: 'allow-unsandboxed',
      setting: 'work.allow_unsandboxed',
    },
  });
}

/** What the isolation does not prevent, for previews and receipts. */
export function describeLimits({ isolation, scopedSignals }: WorkspaceProbe): readonly string[] {
  return isolationGaps(isolation, { scopedSignals });
}
