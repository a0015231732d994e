import type { LoadedConfig } from '../../agent/config/load-config.ts';
import { connectMcp } from '../../agent/tools/mcp-connection.ts';
import { prepareProvider } from '../../agent/providers/provider-family.ts';
import type { CommandContext } from '../../contract/command.ts';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { agentConfig, agentDependencies } from '../agent/agent-dependencies.ts';

/** The time limit for one server or provider. */
const TIMEOUT_MS = 10_000;

/** Checks the settings of every configured provider; with `deep` also its base URL, without a request that costs anything. */
export const checkProviders: Checker = async (context, { deep }) => {
  const config = readConfig(context);
  if (config.providerNames.length === 0) {
    const known = (context.tool.credentialVariables ?? []).filter((name) => context.system.env[name]);
    return known.length > 0
      ? pass('providers', `No provider is configured; ${known.join(' and ')} can be used directly.`)
      : warn(
          'providers',
          'No provider is configured, and the environment contains no API key.',
          ADD_PROVIDER,
        );
  }
  const problems: string[] = [];
  for (const name of config.providerNames) {
    const problem = await problemOf(async () => {
      const { baseUrl, headers } = prepareProvider(name, config.provider(name), context.system.env);
      if (deep && baseUrl !== undefined) await assertReachable(baseUrl, headers, context);
    });
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  if (problems.length > 0)
    return fail(
      'providers',
      problems.join(' '),
      'Fix "providers" in the agent configuration, or set the missing key.',
    );
  const names = config.providerNames.join(', ');
  return pass(
    'providers',
    deep ? `${names}: configured and reachable.` : `${names}: configured; use --deep to connect.`,
  );
};

/** Checks the configured tool servers; with `deep` it connects to each, lists its tools and closes it. */
export const checkToolServers: Checker = async (context, { deep }) => {
  const config = readConfig(context);
  const names = config.serverNames.filter((name) => config.server(name).enabled !== false);
  if (names.length === 0) return pass('tool_servers', 'No tool server is configured.');
  if (!deep) return pass('tool_servers', `${names.join(', ')}: not started; use --deep to connect.`);
  const system = agentDependencies(context);
  const found = await Promise.all(
    names.map(async (name) => {
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const problem = await problemOf(async () => {
        const settings = { ...config.server(name), startTimeoutMs: TIMEOUT_MS };
        const deps = { ...system, source: config.serverSource(name) };
        await (await connectMcp(name, settings, deps, signal)).close();
      });
      return problem === undefined ? [] : [problem];
    }),
  );
  const problems = found.flat();
  return problems.length === 0
    ? pass('tool_servers', `${names.join(', ')}: connected.`)
    : fail(
        'tool_servers',
        problems.join(' '),
        'Fix "mcpServers" in the agent configuration, or set "enabled": false for the server.',
      );
};

const ADD_PROVIDER =
  'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or another API key, or configure a provider in ~/.ai-agent/ai-agent.json.';

/** Uses the configuration of a folder only if it is trusted. */
function readConfig(context: CommandContext): LoadedConfig {
  return agentConfig({ ...context, gate: 'token' }, undefined, undefined);
}

/** Throws if a URL does not answer. Any response is accepted, because only a real request shows whether the key is valid. */
async function assertReachable(
  url: string,
  headers: Readonly<Record<string, string>>,
  { system, signal }: CommandContext,
): Promise<void> {
  const response = await system.fetch(url, {
    method: 'HEAD',
    headers: { ...headers },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
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
