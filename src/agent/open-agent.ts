import { arch, availableParallelism, homedir, hostname, platform } from 'node:os';
import { accountName, ownUid } from '../system/account.ts';
import { resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import { sleep } from '../base/sleep.ts';
import { withAttachments, type Attachment } from './conversation.ts';
import type { AgentConfigFile } from './config/config-schema.ts';
import { loadConfig } from './config/load-config.ts';
import type { SessionSettings } from './config/resolve-session.ts';
import { agentName, type AgentCall } from './plan-agent.ts';
import type { SessionStorage } from './stored-session/session-storage.ts';
import { prepareAgent, type PreparedAgent } from './prepare-agent.ts';
import { readPromptFile } from './prompt-file/read-prompt-file.ts';
import type { ToolHost } from './tool-host.ts';
import { createSignInStore } from './tools/oauth/sign-in-store.ts';
import type { McpServerPool } from './tools/mcp-server-pool.ts';

export interface OpenAgentOptions {
  /** The system prompt. Alternatively `promptFile`, the path of a `.ai` file that contains prompt and settings. */
  readonly systemPrompt?: string;
  readonly promptFile?: string;
  /** The task. A continued session needs none; if passed, it is the next task. */
  readonly userPrompt?: string;
  /** Files of the task: paths, URLs or contents. Images and PDF documents are sent as such, other text becomes part of the prompt. */
  readonly attachments?: readonly (string | Attachment)[];
  /** Allows attachments from addresses that are not public. */
  readonly allowPrivateUrls?: boolean;
  /** The folder where the session is stored, so that it can be continued. Without it nothing is stored. */
  readonly sessions?: string;
  /** The id of the stored session to continue; its stored prompts and settings are used, and `settings` overrides them. */
  readonly resume?: string;
  /** The id of a stored session to continue as a copy; the original is not changed. */
  readonly fork?: string;
  /** Models, tools, limits and parameters; they override the settings of files. */
  readonly settings?: SessionSettings;
  /** The configuration as a value; when set, no configuration file is read. */
  readonly config?: AgentConfigFile;
  /** The folder to search for configuration files when `config` is absent. */
  readonly cwd: string;
  /** Source of placeholder values, API keys and the environment of tool servers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly agentId?: string;
  readonly agents?: readonly string[];
  /** Folders of skills: each with SKILL.md, or with folders that have one. */
  readonly skills?: readonly string[];
  /** Adds the AGENTS.md files from the root of the repository to `cwd` to the system prompt. */
  readonly agentsMd?: boolean;
  readonly outputSchema?: Record<string, unknown>;
  /** Tools of the calling program, in addition to the configured ones. Its sub-agents do not get them. */
  readonly toolHosts?: readonly ToolHost[];
  /** Tool servers shared by the sessions of this process. */
  readonly pool?: McpServerPool;
  readonly fetch?: typeof globalThis.fetch;
  /** The folder with sign-ins to tool servers, as `signIn` writes it. Without it, no stored sign-in is used. */
  readonly signIns?: string;
  /** What to do when the definitions of the tools exceed the context of every model; default `warn`. */
  readonly oversizedTools?: 'warn' | 'refuse';
}

const MAX_DEFAULT_CONCURRENCY = 64;

/**
 * Opens an agent for use as a library: loads and validates its configuration without starting anything. Throws a Fault for an
 * invalid configuration; `createSession().run()` never throws.
 */
export async function openAgent(options: OpenAgentOptions): Promise<PreparedAgent> {
  const { call, storage, cwd, folder } = await readOptions(options);
  const config = loadConfig({
    ...(options.config !== undefined && { inline: options.config }),
    locations: {
      cwd,
      promptFolder: folder,
      binaryFolder: cwd,
      userHome: options.env.HOME ?? homedir(),
      systemFolder: '/etc',
    },
    env: options.env,
    defaultConcurrency: Math.min(MAX_DEFAULT_CONCURRENCY, 2 * availableParallelism()),
    // The calling program chose the folder, so it is trusted. A program that lets users choose it should pass `config`.
    trust: { mode: 'warn', isTrusted: () => true },
  });
  const deps = {
    env: options.env,
    cwd,
    fetch: options.fetch ?? globalThis.fetch,
    clock: { now: Date.now },
    version: '1',
    ...(options.signIns !== undefined && { signIns: createSignInStore(options.signIns) }),
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
    ...(storage !== undefined && { storage }),
  });
}

interface ReadOptions {
  readonly call: AgentCall;
  readonly storage: SessionStorage | undefined;
  readonly cwd: string;
  /** The folder of the prompt file, which may contain a configuration layer. */
  readonly folder: string | undefined;
}

async function readOptions(options: OpenAgentOptions): Promise<ReadOptions> {
  const { sessions, resume, fork, settings = {} } = options;
  const { userPrompt, attachments } = await readTask(options);
  if (resume !== undefined || fork !== undefined) {
    if (sessions === undefined) throw missingOption('sessions', 'the folder of the stored session');
    const { continueSession } = await import('./stored-session/continue-session.ts');
    const continued = continueSession(sessions, { resume, fork, prompt: userPrompt, attachments, settings });
    return { ...continued, cwd: continued.head.cwd, folder: continued.head.folder };
  }
  if (userPrompt === undefined) throw missingOption('userPrompt', 'the task');
  const promptFile = options.promptFile === undefined ? undefined : await readPromptFile(options.promptFile);
  const call: AgentCall = {
    agentId: options.agentId ?? (promptFile === undefined ? 'agent' : agentName(promptFile)),
    systemPrompt: promptFile?.body ?? options.systemPrompt ?? '',
    userPrompt,
    promptFile,
    settings,
    outputSchema: options.outputSchema as never,
    agents: options.agents ?? [],
    skills: (options.skills ?? []).map((path) => resolve(options.cwd, path)),
    ...(options.agentsMd !== undefined && { agentsMd: options.agentsMd }),
  };
  const folder = promptFile?.folder;
  const head = { call, cwd: options.cwd, ...(folder !== undefined && { folder }) };
  const storage = sessions === undefined ? undefined : { folder: sessions, head };
  return { call: { ...call, ...withAttachments(attachments) }, storage, cwd: options.cwd, folder };
}

async function readTask({
  userPrompt,
  attachments: given = [],
  allowPrivateUrls: allowPrivate = false,
  ...options
}: OpenAgentOptions): Promise<Pick<AgentCall, 'attachments'> & { readonly userPrompt: string | undefined }> {
  if (given.length === 0) return { userPrompt };
  if (userPrompt === undefined) throw missingOption('userPrompt', 'the task that the files belong to');
  const { addTexts, readAttachments } = await import('./attachments/read-attachments.ts');
  const { cwd, env, fetch = globalThis.fetch } = options;
  const read = await readAttachments(given, { cwd, env, fetch, allowPrivate });
  return { userPrompt: addTexts(userPrompt, read), attachments: read.attachments };
}

function missingOption(name: string, meaning: string): Fault {
  return new Fault('E_CONFIG', `The option ${name} is missing.`, {
    hint: `Pass ${meaning}.`,
    details: { option: name },
  });
}
