import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { loadConfig, type LoadedConfig } from '../../agent/config/load-config.ts';
import type { AgentDependencies } from '../../agent/prepare-agent.ts';
import { createSignInStore } from '../../agent/tools/oauth/sign-in-store.ts';
import { readFolderTrust } from '../../config/folder-trust.ts';
import type { CommandContext } from '../../contract/command.ts';
import { sleep } from '../../base/sleep.ts';

const MAX_DEFAULT_CONCURRENCY = 64;

/** The part of a command's context that an agent uses. */
export type AgentCommandContext = Pick<CommandContext, 'system' | 'home' | 'tool' | 'gate'>;

/** Creates the agent's dependencies from the system of a command. */
export function agentDependencies({
  system,
  tool,
  home,
}: Pick<AgentCommandContext, 'system' | 'tool' | 'home'>): AgentDependencies {
  return {
    env: system.env,
    cwd: system.cwd,
    fetch: system.fetch,
    clock: system.clock,
    version: tool.version,
    signIns: createSignInStore(home.at('sign-ins')),
    sleep,
    facts: {
      now: () => new Date(system.clock.now()),
      timezone: system.env.TZ || Intl.DateTimeFormat().resolvedOptions().timeZone,
      user: system.account.user,
      hostname: system.account.host,
      os: system.platform,
      arch: system.arch,
    },
  };
}

/**
 * Loads the agent's configuration with the trust policy of the caller. Where writes need a token, untrusted folder files are
 * restricted; `ai-agent` merges all layers as its contract requires, and warns.
 */
export function agentConfig(
  context: Pick<AgentCommandContext, 'system' | 'home' | 'gate'>,
  explicit: string | undefined,
  promptFolder: string | undefined,
): LoadedConfig {
  const { system, home, gate } = context;
  return loadConfig({
    locations: {
      explicit,
      cwd: realPath(system.cwd),
      promptFolder: promptFolder === undefined ? undefined : realPath(promptFolder),
      binaryFolder: dirname(system.executable.path),
      userHome: system.userHome,
      systemFolder: '/etc',
    },
    env: system.env,
    defaultConcurrency: Math.min(MAX_DEFAULT_CONCURRENCY, 2 * availableParallelism()),
    trust: {
      mode: gate === 'open' ? 'warn' : 'refuse',
      isTrusted: (file, text) => {
        const trust = readFolderTrust(home.path, file);
        return trust.state === 'trusted' && trust.text === text;
      },
    },
  });
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
