import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { probeWorkspace } from '../../work/workspace/probe-workspace.ts';
import { workspaceContext } from '../work/open-work-context.ts';

/** Tests how runs are isolated on this machine. */
export const checkWorkspace: Checker = async (context) => {
  const { mode, isolation, sandboxed, problems } = await probeWorkspace(workspaceContext(context));
  const how = sandboxed
    ? `Runs use ${mode === 'overlay' ? 'an overlay' : 'a copy'}, confined by ${isolation}.`
    : 'Runs are rejected, because this machine cannot confine their commands; --allow-unsandboxed runs them on a copy.';
  if (problems.length === 0) return pass('workspace', how);
  return warn(
    'workspace',
    `${how} ${unique(problems.map(({ what }) => what))}`,
    unique(problems.map(({ fix }) => fix)),
  );
};

/** Drops repeated sentences: the overlay and the sandbox often fail for the same reason. */
function unique(sentences: readonly string[]): string {
  return [...new Set(sentences)].join(' ');
}
