import { resolve } from 'node:path';
import { omit } from '../../base/omit.ts';
import type { LoadedConfig } from '../../agent/config/load-config.ts';
import { flattenPlans } from '../../agent/open-plan.ts';
import { agentName, planAgent, type AgentPlan } from '../../agent/plan-agent.ts';
import { openPlanLlm, type AgentDependencies } from '../../agent/prepare-agent.ts';
import { readPromptFile, type PromptFile } from '../../agent/prompt-file/read-prompt-file.ts';
import { checkSessionConfig } from '../../agent/session/check-session-config.ts';
import type { LlmPort } from '../../agent/llm-port.ts';
import { sha256 } from '../../system/digest.ts';
import { Fault } from '../../base/fault.ts';
import { canonicalJson } from '../../base/json.ts';
import { isWithin } from '../../work/workspace/resolve-tree.ts';
import { agentConfig, agentDependencies, type AgentCommandContext } from '../agent/agent-dependencies.ts';
import { checkOptions } from './agent-options.ts';

/** An agent with the content of its files at load time; they are not read again. */
export interface LoadedAgent {
  /** Hash of the files and the configuration that define it. */
  readonly identity: string;
  readonly config: LoadedConfig;
  /** Plans a session that starts at the given time, in UTC. */
  readonly plan: (task: AgentTask) => Promise<AgentPlan>;
  /** Opens the models of a plan. */
  readonly openLlm: (plan: AgentPlan) => LlmPort;
}

export interface AgentTask {
  readonly description: string;
  readonly startedAt: Date;
  /** The default of maxTurns. */
  readonly turns: number;
}

/** Larger than the default, because tools return the content of files. */
const RESPONSE_BYTES = 32_768;

/**
 * Reads the prompt files and the configuration of an agent. The root of the tree is used as the current folder, so that an agent does
 * not depend on where the command is called. Prompts in the tree cannot include files from outside.
 */
export async function loadAgent(
  options: Readonly<Record<string, unknown>>,
  root: string,
  context: AgentCommandContext,
): Promise<LoadedAgent> {
  const { file, ...settings } = checkOptions(options);
  const path = resolve(root, file);
  const files = new Map<string, Promise<PromptFile>>();
  const within = isWithin(root, path) ? root : undefined;
  const readPrompt = (file: string): Promise<PromptFile> => {
    const known = files.get(file) ?? readPromptFile(file, within);
    files.set(file, known);
    return known;
  };
  const promptFile = await readPrompt(path);
  const rootContext = { ...context, system: { ...context.system, cwd: root } };
  const config = agentConfig(rootContext, undefined, promptFile.folder);
  const system = agentDependencies(rootContext);
  const plan = async (task: AgentTask): Promise<AgentPlan> => {
    const defaults = { toolResponseMaxBytes: RESPONSE_BYTES, maxTurns: task.turns, ...config.defaults };
    return planAgent(
      {
        agentId: agentName(promptFile),
        systemPrompt: promptFile.body,
        userPrompt: task.description,
        promptFile,
        settings,
      },
      {
        config: { ...config, defaults: omit(defaults, 'tools') },
        facts: factsAt(system, task.startedAt),
        readPrompt,
      },
    );
  };
  const openLlm = (planned: AgentPlan): LlmPort => openPlanLlm(planned, config, system);
  try {
    const trial = await plan({ description: '-', startedAt: new Date(0), turns: 1 });
    for (const each of flattenPlans(trial)) {
      checkSessionConfig(each.config);
      assertNoOtherTools(each, file);
    }
    openLlm(trial);
    return { identity: sha256(canonicalJson([config.digest, trial])), config, plan, openLlm };
  } catch (error) {
    throw explain(error, config);
  }
}

/** Adds configuration warnings to the hint, because a missing setting is often in an untrusted file. */
function explain(error: unknown, { warnings }: LoadedConfig): unknown {
  if (!(error instanceof Fault) || warnings.length === 0) return error;
  const { code, message, details } = error;
  return new Fault(code, message, { hint: warnings.join(' '), details, cause: error });
}

/** Throws if an agent uses configured tools: the effects of a tool server or endpoint cannot be rolled back with the run. */
function assertNoOtherTools({ name, toolNames }: AgentPlan, file: string): void {
  if (toolNames.length === 0) return;
  throw new Fault(
    'E_CONFIG',
    `The agent ${name} in ${file} uses ${toolNames.join(', ')}, which act outside the workspace.`,
    {
      hint: 'Remove "tools" from its file: the agent of a work item can use only the workspace tools.',
      details: { field: 'tools', agent: name, tools: [...toolNames] },
    },
  );
}

/** Fixes time and timezone, so that a prompt with the time is the same when the run is planned again. */
function factsAt({ facts }: AgentDependencies, startedAt: Date): AgentDependencies['facts'] {
  return { ...facts, timezone: 'UTC', now: () => startedAt };
}
