import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { omit } from '../base/omit.ts';
import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import type { ApprovalRule } from './approval/approval-rule.ts';
import type { Attachment } from './conversation.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { resolveSession, type SessionSettings } from './config/resolve-session.ts';
import { splitNames, type Frontmatter } from './prompt-file/frontmatter-schema.ts';
import { fillVariables, promptVariables, type PromptFacts } from './prompt-file/prompt-variables.ts';
import { readPromptFile, type PromptFile } from './prompt-file/read-prompt-file.ts';
import type { SessionConfig } from './session-config.ts';
import type { Skill } from './skills/read-skills.ts';
import { assertNoCycle } from './tools/sub-agent-host.ts';

/** A request to run one agent. */
export interface AgentCall {
  readonly agentId: string;
  readonly systemPrompt: string;
  readonly userPrompt: string;
  /** The prompt file that the system prompt was read from, if it was. */
  readonly promptFile?: PromptFile | undefined;
  /** Files of the task; text files are part of the prompt. */
  readonly attachments?: readonly Attachment[];
  readonly settings: SessionSettings;
  readonly outputSchema?: JsonObject | undefined;
  /** Absolute paths of the prompt files of its sub-agents. */
  readonly agents?: readonly string[];
  /** Absolute paths of folders of skills, in addition to the folders of the prompt file. */
  readonly skills?: readonly string[];
  /** Adds the AGENTS.md files of the tree, even if the prompt file does not ask for them. */
  readonly agentsMd?: boolean;
}

/** One agent with its sub-agents, fully resolved and not started. */
export interface AgentPlan {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject | undefined;
  readonly config: SessionConfig;
  /** The system prompt before variable substitution, so that the same files give the same text. */
  readonly source: string;
  /** The path of its prompt file. */
  readonly file?: string;
  readonly toolNames: readonly string[];
  readonly skills: readonly Skill[];
  readonly children: readonly AgentPlan[];
}

export interface PlanDependencies {
  readonly config: LoadedConfig;
  readonly facts: PromptFacts;
  /** The folder that the agent works in, for AGENTS.md. */
  readonly cwd?: string;
  /** Reads the prompt files of sub-agents; from disk when absent. */
  readonly readPrompt?: (path: string) => Promise<PromptFile>;
}

/** Plans an agent and its sub-agents, recursively. Throws a Fault when agents call each other in a cycle. */
export async function planAgent(
  call: AgentCall,
  deps: PlanDependencies,
  callers: readonly string[] = [call.agentId],
): Promise<AgentPlan> {
  const frontmatter = call.promptFile?.frontmatter ?? {};
  const config = await addProjectNotes(resolveConfig(call, frontmatter, deps), call, deps);
  const { stream } = call.settings;
  const inherited = {
    models: config.targets.map(({ provider, model }) => `${provider}/${model}`),
    ...(stream !== undefined && { stream }),
  };
  const rules = (config.approval ?? []).filter((list) => !deps.config.approval.includes(list));
  const children: AgentPlan[] = [];
  for (const path of agentPaths(call, frontmatter)) {
    const child = await planChild(path, call.promptFile?.path, inherited, { ...deps, callers });
    children.push(withCallerRules(child, rules));
  }
  assertDistinctNames(
    children.map(({ name }) => name),
    call.agentId,
  );
  return {
    name: call.agentId,
    description: frontmatter.description ?? frontmatter.usage ?? '',
    inputSchema: frontmatter.input?.schema as JsonObject | undefined,
    config,
    source: call.systemPrompt,
    ...(call.promptFile !== undefined && { file: call.promptFile.path }),
    toolNames: call.settings.tools ?? splitNames(frontmatter.tools) ?? deps.config.defaults.tools ?? [],
    skills: await planSkills(call),
    children,
  };
}

/** Applies the approval rules of an agent to what it calls, because otherwise a sub-agent could make the calls that its caller may not. */
function withCallerRules(plan: AgentPlan, rules: readonly (readonly ApprovalRule[])[]): AgentPlan {
  if (rules.length === 0) return plan;
  const callerApproval = [...(plan.config.callerApproval ?? []), ...rules];
  return {
    ...plan,
    config: { ...plan.config, callerApproval },
    children: plan.children.map((child) => withCallerRules(child, rules)),
  };
}

/** Reads the headers of the skills; loaded only for agents that have any. */
async function planSkills({ promptFile, skills = [] }: AgentCall): Promise<readonly Skill[]> {
  const own = splitNames(promptFile?.frontmatter.skills) ?? [];
  const paths = [...own.map((path) => resolve(promptFile?.folder ?? '.', path)), ...skills];
  if (paths.length === 0) return [];
  const { readSkills } = await import('./skills/read-skills.ts');
  return readSkills(paths, '/');
}

async function addProjectNotes(
  config: SessionConfig,
  { promptFile, agentsMd = promptFile?.frontmatter.agentsMd ?? false }: AgentCall,
  { cwd }: PlanDependencies,
): Promise<SessionConfig> {
  if (!agentsMd || cwd === undefined) return config;
  const { renderAgentsMd } = await import('./skills/read-agents-md.ts');
  const notes = renderAgentsMd(cwd);
  return notes === undefined ? config : { ...config, systemPrompt: `${config.systemPrompt}\n\n${notes}` };
}

/** Returns the name of the agent that a prompt file defines. */
export function agentName({ path, frontmatter }: PromptFile): string {
  return (
    frontmatter.toolName ??
    basename(path)
      .replace(/\.[^.]*$/u, '')
      .replaceAll(/[^A-Za-z0-9_-]+/gu, '_')
  );
}

async function planChild(
  path: string,
  callerFile: string | undefined,
  { models, ...inherited }: SessionSettings,
  { callers, ...deps }: PlanDependencies & { readonly callers: readonly string[] },
): Promise<AgentPlan> {
  if (deps.readPrompt === undefined && !existsSync(path)) throw missingAgent(path, callerFile);
  const promptFile = await (deps.readPrompt ?? readPromptFile)(path);
  const agentId = agentName(promptFile);
  assertNoCycle(agentId, callers);
  // An agent without its own models uses its caller's.
  const own = promptFile.frontmatter.models === undefined ? { models } : {};
  const format = promptFile.frontmatter.output?.format ?? 'sub-agent';
  const call = {
    agentId,
    systemPrompt: promptFile.body,
    userPrompt: '',
    promptFile,
    settings: { ...inherited, ...own, format },
  };
  return planAgent(call, deps, [...callers, agentId]);
}

function missingAgent(path: string, callerFile: string | undefined): Fault {
  const place = callerFile === undefined ? 'The call' : callerFile;
  return new Fault('E_CONFIG', `${path} does not exist. ${place} names it as a sub-agent.`, {
    hint:
      callerFile === undefined
        ? 'Pass the path of a prompt file.'
        : `Fix agents in ${callerFile}; paths are relative to it.`,
    details: { path, ...(callerFile !== undefined && { caller: callerFile }) },
  });
}

export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'final_report',
  'progress_report',
  'batch',
  'load_skill',
]);

/** Throws when two sub-agents would be the same tool, or one the same as a tool of the runtime. */
function assertDistinctNames(names: readonly string[], caller: string): void {
  const name = names.find((each, index) => RESERVED_NAMES.has(each) || names.indexOf(each) !== index);
  if (name === undefined) return;
  const problem = RESERVED_NAMES.has(name)
    ? `agent__${name} is a tool of every agent`
    : `two sub-agents have this name`;
  throw new Fault('E_CONFIG', `The agent ${caller} cannot call a sub-agent ${name}: ${problem}.`, {
    hint: 'Set another toolName in the frontmatter of the sub-agent.',
    details: { agent: caller, name },
  });
}

function agentPaths(call: AgentCall, frontmatter: Frontmatter): readonly string[] {
  const folder = call.promptFile?.folder ?? '.';
  const named = (splitNames(frontmatter.agents) ?? []).map((name) => resolve(folder, name));
  return [...(call.agents ?? []), ...named];
}

function resolveConfig(
  call: AgentCall,
  frontmatter: Frontmatter,
  { config, facts }: PlanDependencies,
): SessionConfig {
  const outputSchema = call.outputSchema ?? (frontmatter.output?.schema as JsonObject | undefined);
  const fromFile = toSettings(frontmatter);
  // A schema without a format implies JSON.
  const format = call.settings.format ?? fromFile.format ?? (outputSchema === undefined ? undefined : 'json');
  const settings = { ...call.settings, ...(format !== undefined && { format }) };
  const session = resolveSession(config, { call: settings, promptFile: fromFile }, { ...call, outputSchema });
  const { limits, output } = session;
  return {
    ...session,
    systemPrompt: fillVariables(session.systemPrompt, promptVariables(facts, limits, output.format)),
  };
}

/** Converts frontmatter to session settings. */
function toSettings(frontmatter: Frontmatter): SessionSettings {
  const { models, tools, output, ...others } = frontmatter;
  const modelNames = splitNames(models);
  const toolNames = splitNames(tools);
  return {
    ...omit(others, '$schema', 'description', 'usage', 'toolName', 'input', 'agents', 'skills', 'agentsMd'),
    ...(modelNames && { models: [...modelNames] }),
    ...(toolNames && { tools: [...toolNames] }),
    ...(output?.format !== undefined && { format: output.format }),
  };
}
