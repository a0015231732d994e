import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { probeWorkspace } from '../../work/workspace/probe-workspace.ts';
import { workspaceContext } from '../work/open-work-context.ts';

/** How work is isolated here: tried, not guessed. */
export const checkWorkspace: Checker = async (context) => {
  const { mode, sandboxed, problems } = await probeWorkspace(workspaceContext(context));
  const how = `Work runs in ${mode === 'overlay' ? 'an overlay' : 'a copy'}, ${sandboxed ? 'in a sandbox' : 'without a sandbox'}.`;
  if (problems.length === 0) return pass('workspace', how);
  return warn(
    'workspace',
    `${how} ${once(problems.map(({ what }) => what))}`,
    once(problems.map(({ fix }) => fix)),
  );
};

/** The overlay and the sandbox often fail for one and the same reason. */
function once(sentences: readonly string[]): string {
  return [...new Set(sentences)].join(' ');
}
