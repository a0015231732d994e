import type { AgentConfig } from '../../agent/config/load-config.ts';
import { connectMcp } from '../../agent/tools/mcp-connection.ts';
import { prepareProvider } from '../../agent/providers/provider-family.ts';
import type { CommandContext } from '../../contract/command.ts';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { agentConfig, agentDependencies } from '../agent/agent-dependencies.ts';

/** How long one server or one provider may take to show that it is there. */
const PATIENCE_MS = 10_000;

/** Every provider that is configured has what it needs; with `deep` it is also reached, without a request that costs anything. */
export const checkProviders: Checker = async (context, { deep }) => {
  const config = readConfig(context);
  if (config.providerNames.length === 0) {
    const known = (context.tool.credentialVariables ?? []).filter((name) => context.system.env[name]);
    return known.length > 0
      ? pass('providers', `None is configured; ${known.join(' and ')} can be used by name.`)
      : warn('providers', 'No provider is configured, and no key is in the environment.', ADD_PROVIDER);
  }
  const problems: string[] = [];
  for (const name of config.providerNames) {
    const problem = await problemOf(async () => {
      const { baseUrl, headers } = prepareProvider(name, config.provider(name), context.system.env);
      if (deep && baseUrl !== undefined) await reach(baseUrl, headers, context);
    });
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  if (problems.length > 0)
    return fail(
      'providers',
      problems.join(' '),
      'Correct providers in the agent configuration, or set the key it names.',
    );
  const names = config.providerNames.join(', ');
  return pass(
    'providers',
    deep ? `${names}: complete and reachable.` : `${names}: complete; --deep reaches them.`,
  );
};

/** The tool servers of the configuration that counts here; with `deep` each is started or reached, asked for its tools, and ended. */
export const checkToolServers: Checker = async (context, { deep }) => {
  const config = readConfig(context);
  const names = config.serverNames.filter((name) => config.server(name).enabled !== false);
  if (names.length === 0) return pass('tool_servers', 'None is configured.');
  if (!deep) return pass('tool_servers', `${names.join(', ')}: not started; --deep does that.`);
  const system = agentDependencies(context);
  const found = await Promise.all(
    names.map(async (name) => {
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)]);
      const problem = await problemOf(async () => {
        const settings = { ...config.server(name), startTimeoutMs: PATIENCE_MS };
        await (await connectMcp(name, settings, system, signal)).close();
      });
      return problem === undefined ? [] : [problem];
    }),
  );
  const problems = found.flat();
  return problems.length === 0
    ? pass('tool_servers', `${names.join(', ')}: each answers.`)
    : fail(
        'tool_servers',
        problems.join(' '),
        'Correct mcpServers in the agent configuration, or set "enabled": false there.',
      );
};

const ADD_PROVIDER =
  'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or another one, or name a provider in ~/.ai-agent/ai-agent.json.';

/** A folder's file counts only as far as it is trusted, also where the layers would merge. */
function readConfig(context: CommandContext): AgentConfig {
  return agentConfig({ ...context, gate: 'token' }, undefined, undefined);
}

/** Any answer will do: whether the key is good is for the first request to tell. */
async function reach(
  url: string,
  headers: Readonly<Record<string, string>>,
  { system, signal }: CommandContext,
): Promise<void> {
  const response = await system.fetch(url, {
    method: 'HEAD',
    headers: { ...headers },
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  });
  await response.body?.cancel();
}

async function problemOf(action: () => Promise<void>): Promise<string | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    return error.cause instanceof Error && error.message === 'fetch failed'
      ? `cannot be reached (${error.cause.message}).`
      : error.message;
  }
}
