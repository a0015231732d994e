import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { loadConfig, type AgentConfig } from '../agent/config/load-config.ts';
import type { AgentWorld } from '../agent/prepare-agent.ts';
import { readTrust } from '../config/folder-trust.ts';
import type { CommandContext } from '../contract/context.ts';
import { sleep } from '../system/sleep.ts';

const MAX_DEFAULT_CONCURRENCY = 64;

/** What of a command an agent is joined to. */
export type AgentJoint = Pick<CommandContext, 'world' | 'home' | 'tool' | 'gate'>;

/** Gives the agent part the world of a command. */
export function agentWorld({ world, tool }: Pick<AgentJoint, 'world' | 'tool'>): AgentWorld {
  return {
    env: world.env,
    cwd: world.cwd,
    fetch: world.fetch,
    clock: world.clock,
    version: tool.version,
    sleep,
    facts: {
      now: () => new Date(world.clock.now()),
      timezone: world.env.TZ || Intl.DateTimeFormat().resolvedOptions().timeZone,
      user: world.account.user,
      hostname: world.account.host,
      os: world.platform,
      arch: world.arch,
    },
  };
}

/**
 * Reads the agent's configuration as this caller may use it. Where writes need a token, a folder's file counts as far as it is
 * trusted; the executable with the contract of its own merges the layers as that says, and warns.
 */
export function agentConfig(
  context: Pick<AgentJoint, 'world' | 'home' | 'gate'>,
  explicit: string | undefined,
  promptFolder: string | undefined,
): AgentConfig {
  const { world, home, gate } = context;
  return loadConfig({
    places: {
      explicit,
      cwd: realPath(world.cwd),
      promptFolder: promptFolder === undefined ? undefined : realPath(promptFolder),
      binaryFolder: dirname(world.executable.path),
      userHome: world.userHome,
      systemFolder: '/etc',
    },
    env: world.env,
    defaultConcurrency: Math.min(MAX_DEFAULT_CONCURRENCY, 2 * availableParallelism()),
    trust: {
      mode: gate === 'open' ? 'warn' : 'refuse',
      isTrusted: (file, text) => {
        const trust = readTrust(home.path, file);
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
