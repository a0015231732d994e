import { arch, availableParallelism, homedir, hostname, platform } from 'node:os';
import { accountName, ownUid } from '../system/account.ts';
import { sleep } from '../base/sleep.ts';
import type { AgentConfigFile } from './config/config-schema.ts';
import { loadConfig } from './config/load-config.ts';
import type { SessionSettings } from './config/resolve-session.ts';
import { limitResponses, SERVER_LIMITS } from './limit-responses.ts';
import { agentName } from './plan-agent.ts';
import { prepareAgent, type PreparedAgent } from './prepare-agent.ts';
import { readPromptFile } from './prompt-file/read-prompt-file.ts';
import type { ToolHost } from './tool-host.ts';
import type { McpServerPool } from './tools/mcp-server-pool.ts';

export interface OpenAgentOptions {
  /** The system prompt. Alternatively `promptFile`, the path of a `.ai` file that contains prompt and settings. */
  readonly systemPrompt?: string;
  readonly promptFile?: string;
  readonly userPrompt: string;
  /** Models, tools, limits and parameters; they override those of files. */
  readonly settings?: SessionSettings;
  /** The configuration as a value; when set, no configuration file is read. */
  readonly config?: AgentConfigFile;
  /** The folder to search for configuration files when `config` is absent. */
  readonly cwd: string;
  /** Source of placeholder values, API keys and the environment of tool servers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly agentId?: string;
  readonly agents?: readonly string[];
  readonly outputSchema?: Record<string, unknown>;
  /** Tools of the calling program, in addition to the configured ones. Its sub-agents do not get them. */
  readonly toolHosts?: readonly ToolHost[];
  /** Tool servers shared by the sessions of this process. */
  readonly pool?: McpServerPool;
  readonly fetch?: typeof globalThis.fetch;
  /** What to do when the definitions of the tools exceed the context of every model; default `warn`. */
  readonly oversizedTools?: 'warn' | 'refuse';
}

const MAX_DEFAULT_CONCURRENCY = 64;

/**
 * Opens an agent for use as a library: loads and validates its configuration without starting anything. Throws a Fault for an
 * invalid configuration; `createSession().run()` never throws.
 */
export async function openAgent(options: OpenAgentOptions): Promise<PreparedAgent> {
  const promptFile = options.promptFile === undefined ? undefined : await readPromptFile(options.promptFile);
  const config = loadConfig({
    ...(options.config !== undefined && { inline: options.config }),
    locations: {
      cwd: options.cwd,
      promptFolder: promptFile?.folder,
      binaryFolder: options.cwd,
      userHome: options.env.HOME ?? homedir(),
      systemFolder: '/etc',
    },
    env: options.env,
    defaultConcurrency: Math.min(MAX_DEFAULT_CONCURRENCY, 2 * availableParallelism()),
    // The calling program chose the folder, so it is trusted. A program that lets users choose it should pass `config`.
    trust: { mode: 'warn', isTrusted: () => true },
  });
  const call = {
    agentId: options.agentId ?? (promptFile === undefined ? 'agent' : agentName(promptFile)),
    systemPrompt: promptFile?.body ?? options.systemPrompt ?? '',
    userPrompt: options.userPrompt,
    promptFile,
    settings: options.settings ?? {},
    outputSchema: options.outputSchema as never,
    agents: options.agents ?? [],
  };
  const deps = {
    env: options.env,
    cwd: options.cwd,
    fetch: limitResponses(options.fetch ?? globalThis.fetch, SERVER_LIMITS),
    clock: { now: Date.now },
    version: '1',
    sleep,
    facts: {
      now: () => new Date(),
      timezone: options.env.TZ || Intl.DateTimeFormat().resolvedOptions().timeZone,
      user: accountName(ownUid()),
      hostname: hostname(),
      os: platform(),
      arch: arch(),
    },
  };
  const { pool, oversizedTools, toolHosts } = options;
  return prepareAgent(call, config, deps, {
    ...(pool !== undefined && { pool }),
    ...(toolHosts !== undefined && { toolHosts }),
    ...(oversizedTools !== undefined && { oversizedTools }),
  });
}
