import { resolve } from 'node:path';
import type { AgentConfig } from '../../agent/config/load-config.ts';
import { allPlans } from '../../agent/open-plan.ts';
import { agentName, planAgent, type AgentPlan } from '../../agent/plan-agent.ts';
import { openPlanLlm, type AgentDependencies } from '../../agent/prepare-agent.ts';
import { readPromptFile, type PromptFile } from '../../agent/prompt-file/read-prompt-file.ts';
import { checkConfig } from '../../agent/session/check-session-config.ts';
import type { LlmPort } from '../../agent/llm-port.ts';
import { sha256 } from '../../base/digest.ts';
import { Fault } from '../../base/fault.ts';
import { canonicalJson } from '../../base/json.ts';
import { isWithin } from '../../work/workspace/resolve-tree.ts';
import { agentConfig, agentDependencies, type AgentCommandContext } from '../agent/agent-dependencies.ts';
import { checkOptions } from './agent-options.ts';

/** An agent as its files said when it was loaded; they are not read again. */
export interface LoadedAgent {
  /** Of the files and the configuration that decide over it. */
  readonly identity: string;
  readonly config: AgentConfig;
  /** Plans a session that begins at this moment, in the zone that runs have. */
  readonly plan: (task: AgentTask) => Promise<AgentPlan>;
  /** Opens the models of a plan. */
  readonly openLlm: (plan: AgentPlan) => LlmPort;
}

export interface AgentTask {
  readonly description: string;
  readonly startedAt: Date;
  /** How many turns the session may take unless somebody said otherwise. */
  readonly turns: number;
}

/** A file that must be read is larger than a chat message. */
const RESPONSE_BYTES = 32_768;

/**
 * Reads the prompt files of an agent and the configuration of its session. The tree's root stands for the current folder: what an agent
 * is must not depend on where the command was called. Prompts of the tree may not take in files from elsewhere.
 */
export async function loadAgent(
  options: Readonly<Record<string, unknown>>,
  root: string,
  joint: AgentCommandContext,
): Promise<LoadedAgent> {
  const { file, ...settings } = checkOptions(options);
  const path = resolve(root, file);
  const files = new Map<string, Promise<PromptFile>>();
  const within = isWithin(root, path) ? root : undefined;
  const readPrompt = (wanted: string): Promise<PromptFile> => {
    const known = files.get(wanted) ?? readPromptFile(wanted, within);
    files.set(wanted, known);
    return known;
  };
  const promptFile = await readPrompt(path);
  const here = { ...joint, system: { ...joint.system, cwd: root } };
  const config = agentConfig(here, undefined, promptFile.folder);
  const system = agentDependencies(here);
  const plan = async (task: AgentTask): Promise<AgentPlan> => {
    const defaults = { toolResponseMaxBytes: RESPONSE_BYTES, maxTurns: task.turns, ...config.defaults };
    const { tools: _, ...rest } = defaults;
    return planAgent(
      {
        agentId: agentName(promptFile),
        systemPrompt: promptFile.body,
        userPrompt: task.description,
        promptFile,
        settings,
      },
      { config: { ...config, defaults: rest }, facts: factsAt(system, task.startedAt), readPrompt },
    );
  };
  const openLlm = (planned: AgentPlan): LlmPort => openPlanLlm(planned, config, system);
  try {
    const trial = await plan({ description: '-', startedAt: new Date(0), turns: 1 });
    for (const each of allPlans(trial)) {
      checkConfig(each.config);
      refuseTools(each, file);
    }
    openLlm(trial);
    return { identity: sha256(canonicalJson([config.digest, trial])), config, plan, openLlm };
  } catch (error) {
    throw explain(error, config);
  }
}

/** What is missing is often in a file that nobody trusted yet. */
function explain(error: unknown, { warnings }: AgentConfig): unknown {
  if (!(error instanceof Fault) || warnings.length === 0) return error;
  const { code, message, details } = error;
  return new Fault(code, message, { hint: warnings.join(' '), details, cause: error });
}

/** What a tool server or an endpoint did could not be taken back with the run. */
function refuseTools({ name, toolNames }: AgentPlan, file: string): void {
  if (toolNames.length === 0) return;
  throw new Fault(
    'E_CONFIG',
    `The agent ${name} of ${file} asks for ${toolNames.join(', ')}, which act outside of the workspace.`,
    {
      hint: 'Remove "tools" from its file: an agent that works on an item has the tools of its workspace and no others.',
      details: { field: 'tools', agent: name, tools: [...toolNames] },
    },
  );
}

/** A prompt that names the time must name the same one when the run is planned again. */
function factsAt({ facts }: AgentDependencies, startedAt: Date): AgentDependencies['facts'] {
  return { ...facts, timezone: 'UTC', now: () => startedAt };
}
