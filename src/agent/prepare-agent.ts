import { randomId } from '../base/ids.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { collectSecrets } from './config/collect-secrets.ts';
import type { LlmPort } from './llm-port.ts';
import { createMask, maskToolHost, maskLlm, type Mask } from './mask-secrets.ts';
import { flattenPlans, openPlan, type CallerPorts, type OpenedPlan } from './open-plan.ts';
import { describeUnmatched, findMisnamedRules } from './approval/unmatched-rules.ts';
import { planAgent, RESERVED_NAMES, type AgentCall, type AgentPlan } from './plan-agent.ts';
import { pricePlan } from './price-plan.ts';
import type { PromptFacts } from './prompt-file/prompt-variables.ts';
import { openLlm, readScript, type ProviderDependencies } from './providers/open-llm.ts';
import { recordLlm, renderLlmRecording } from './providers/llm-recording.ts';
import { storagePorts, type SessionStorage } from './stored-session/session-storage.ts';
import { createSkillHost } from './skills/skill-host.ts';
import { checkSessionConfig, rejectSetting } from './session/check-session-config.ts';
import { sessionEnvironment } from './session/session-environment.ts';
import { startSessionTelemetry } from './telemetry/session-telemetry.ts';
import type { ToolHost } from './tool-host.ts';
import { createMcpHost } from './tools/mcp-tool-host.ts';
import { McpServerPool } from './tools/mcp-server-pool.ts';
import type { McpServerDependencies } from './tools/mcp-server.ts';
import { createRestHost } from './tools/rest-host.ts';
import { selectTools } from './tools/select-tools.ts';
import { ToolQueues } from './tools/tool-queues.ts';

export type { CallerPorts };

export interface AgentDependencies extends McpServerDependencies, ProviderDependencies {
  readonly facts: PromptFacts;
}

const RULE_HINT = 'Use the name that models see; "agent tools" lists the tools.';

export interface PrepareOptions {
  /** A recording or scenario to replay instead of calling the providers. */
  readonly replay?: string | undefined;
  /** Records requests and responses for `recording`. */
  readonly record?: boolean;
  /** Tool servers shared by the sessions of this process; by default the agent starts its own. */
  readonly pool?: McpServerPool;
  /** Tools of the calling program, for the agent itself. */
  readonly toolHosts?: readonly ToolHost[];
  /** Where the session is stored, and the stored session to continue. */
  readonly storage?: SessionStorage;
  /** Called with problems that do not affect the session. */
  readonly warn?: (message: string) => void;
  /** What to do when the definitions of the tools exceed the context of every model; default `warn`. */
  readonly oversizedTools?: 'warn' | 'refuse';
}

/** An agent that is ready to run, validated as far as possible without starting anything. */
export interface PreparedAgent extends OpenedPlan {
  readonly plan: AgentPlan;
  /** Returns the requests and responses so far as the text of a recording. */
  readonly recording: () => string;
}

/** Plans and validates an agent, and connects its providers, tools and sub-agents. Throws a Fault for an invalid configuration. */
export async function prepareAgent(
  call: AgentCall,
  config: LoadedConfig,
  deps: AgentDependencies,
  options: PrepareOptions = {},
): Promise<PreparedAgent> {
  const planned = await planAgent(call, { config, facts: deps.facts, cwd: deps.cwd });
  // A replay costs nothing.
  const plan = options.replay === undefined ? await pricePlan(planned, config, deps.env) : planned;
  for (const each of flattenPlans(plan)) {
    checkSessionConfig(each.config);
    // Fails now for an unknown tool of a sub-agent, not when the model calls that sub-agent.
    selectTools(config, each.toolNames);
    // The names of tools of the calling program are not known.
    if (options.toolHosts === undefined) checkRuleNames(each, config);
  }
  const port = options.replay === undefined ? openPlanLlm(plan, config, deps) : readScript(options.replay);
  const mask = createPlanMask(plan, config, deps);
  const recorder = options.record === true ? recordLlm(port) : undefined;
  // Created before the session, because its tool processes carry it in their environment.
  const { storage } = options;
  const txnId = storage?.resume?.id ?? plan.config.trace?.txnId ?? randomId();
  const traced = { ...plan, config: { ...plan.config, trace: { ...plan.config.trace, txnId } } };
  const telemetry = await startSessionTelemetry(
    { agentId: plan.config.agentId, txnId },
    { ...deps, warn: options.warn ?? (() => undefined) },
  );
  const traceparent = telemetry?.traceparent;
  const pool =
    options.pool ??
    new McpServerPool({
      ...deps,
      sessionEnv: sessionEnvironment(txnId),
      ...(traceparent !== undefined && { traceparent }),
    });
  const opened = openPlan(traced, {
    llm: recorder?.port ?? port,
    clock: deps.clock,
    sleep: deps.sleep,
    queues: new ToolQueues(config.queues),
    ...(options.oversizedTools !== undefined && { oversizedTools: options.oversizedTools }),
    openTools: (each) =>
      [
        ...openConfiguredTools(each, config, pool, deps),
        ...(each.skills.length > 0 ? [createSkillHost(each.skills)] : []),
        ...(each === traced ? (options.toolHosts ?? []) : []),
      ].map((host) => maskToolHost(host, mask)),
  });
  return {
    tools: opened.tools,
    createSession: (ports) =>
      opened.createSession({
        ...storagePorts(storage, txnId, deps.clock),
        ...(telemetry?.observe(ports) ?? ports),
      }),
    plan,
    recording: () => renderLlmRecording(recorder?.read() ?? { version: 1, exchanges: [] }),
  };
}

/** Refuses rules that no tool can match: its calls would run without them. A rule that only allows is not needed. */
function checkRuleNames({ config: { approval = [] }, children }: AgentPlan, config: LoadedConfig): void {
  const agentTools = [...children.map(({ name }) => name), ...RESERVED_NAMES].map((name) => `agent__${name}`);
  for (const rules of approval) {
    const found = findMisnamedRules(
      rules.filter(({ decision }) => decision !== 'allow'),
      {
        servers: config.serverNames,
        restTools: config.restToolNames,
        agentTools,
        isShared: config.approval.includes(rules),
      },
    ).find(({ isPrecaution }) => !isPrecaution);
    if (found !== undefined) rejectSetting('approval', describeUnmatched(found), RULE_HINT);
  }
}

/** Opens the models of an agent and its sub-agents. */
export function openPlanLlm(plan: AgentPlan, config: LoadedConfig, deps: ProviderDependencies): LlmPort {
  return maskLlm(openLlm(providerNames(plan), config, deps), createPlanMask(plan, config, deps));
}

function providerNames(plan: AgentPlan): readonly string[] {
  return flattenPlans(plan).flatMap((each) => each.config.targets.map(({ provider }) => provider));
}

function createPlanMask(
  plan: AgentPlan,
  config: LoadedConfig,
  { env }: Pick<ProviderDependencies, 'env'>,
): Mask {
  const tools = flattenPlans(plan).flatMap(({ toolNames }) => toolNames);
  return createMask(collectSecrets(config, { providers: providerNames(plan), tools }, env));
}

/** Opens the configured tools of an agent; servers are leased from the pool, so that sessions share them. */
function openConfiguredTools(
  { toolNames }: AgentPlan,
  config: LoadedConfig,
  pool: McpServerPool,
  { fetch }: AgentDependencies,
): readonly ToolHost[] {
  const { servers, restTools } = selectTools(config, toolNames);
  const hosts: ToolHost[] = Object.entries(servers).map(([name, server]) =>
    createMcpHost(pool.lease(name, server.settings, server.source), server),
  );
  if (Object.keys(restTools).length > 0) hosts.push(createRestHost(restTools, fetch));
  return hosts;
}
