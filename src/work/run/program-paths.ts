import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import { listProgramFiles } from '../executors/program-files.ts';
import type { WorkContext } from '../work-context.ts';
import { createStateTest } from '../workspace/exposes-state.ts';
import { createHiddenTest, createVisibleTest } from '../workspace/sandbox/is-visible.ts';
import { nodeModulesAbove } from '../workspace/sandbox/node-modules-above.ts';
import { containsSecrets } from '../workspace/sandbox/tool-paths.ts';
import type { SandboxPolicy } from '../workspace/workspace.ts';

type ProgramContext = Pick<WorkContext, 'workspace' | 'env'>;

/**
 * Lists what the sandbox shows of an agent's program in a folder that it replaces: the files that its start needs, and the packages
 * around them. A link is shown only with its folder: mounted on its own it would be a file at another place, where a script does not
 * find its packages.
 */
export function programPaths(agent: AgentConfig, { workspace, env }: ProgramContext): readonly string[] {
  const paths = listProgramFiles(agent, env.PATH ?? '').flatMap((path) => {
    const real = realpathSync(path);
    return [real, ...nodeModulesAbove(path), ...nodeModulesAbove(real)];
  });
  const isHidden = createHiddenTest(workspace);
  const isState = createStateTest(workspace);
  return [...new Set(paths)].filter(
    (path) => isHidden(path) && !isState(path) && !containsSecrets(workspace.accountHome, path),
  );
}

/** Rejects an agent before it starts, if one of its program files is not visible in the sandbox. */
export function assertProgramVisible(
  agentId: string,
  agent: AgentConfig,
  { workspace, env }: ProgramContext,
  sandbox: { readonly policy: Partial<SandboxPolicy>; readonly root: string },
): void {
  const isVisible = createVisibleTest(workspace, sandbox);
  for (const path of listProgramFiles(agent, env.PATH ?? '')) {
    const real = realpathSync(path);
    const hidden = [path, real].find((place) => !isVisible(place));
    if (hidden === undefined) continue;
    throw new Fault('E_CONFIG', `A program of agent "${agentId}" is not visible in the sandbox: ${hidden}.`, {
      hint: visibilityHint(workspace, hidden, real),
      details: { setting: 'work.agents', agent: agentId, program: hidden, reason: 'hidden' },
    });
  }
}

function visibilityHint(workspace: WorkContext['workspace'], hidden: string, real: string): string {
  const folder = dirname(hidden);
  if (createStateTest(workspace)(hidden))
    return `${folder} contains keys or state of deed, which no run can read. Install the program elsewhere.`;
  const link = hidden === real ? '' : `It is a link; set argv of the agent in work.agents to ${real}, or `;
  const add = `add ${folder} to read_paths of the agent in work.agents.`;
  return link === '' ? `A${add.slice(1)}` : link + add;
}
