import { excerpt, printable } from '../base/text.ts';
import type { Account, System } from './system.ts';

/** The caller: the account, and the agent if one can be identified. */
export interface Caller {
  readonly account: Account;
  readonly agent: string | null;
  /** One of several sessions of the agent, if the caller names it; claims of different sessions exclude each other. */
  readonly session?: string | undefined;
  /** Set when a person answered the question of an MCP client, or acts in a signed-in browser, and the call runs as theirs. */
  readonly answered?: boolean | undefined;
}

/** The environment variable that names the session of the agent. */
export const SESSION_VARIABLE = 'DEED_SESSION';

/** Environment variables that identify agent hosts, most explicit first. */
const AGENT_MARKS: readonly { readonly variable: string; readonly agent?: string }[] = [
  { variable: 'DEED_AGENT' },
  { variable: 'AI_AGENT' },
  { variable: 'CLAUDECODE', agent: 'claude-code' },
  { variable: 'CURSOR_AGENT', agent: 'cursor' },
  { variable: 'GEMINI_CLI', agent: 'gemini-cli' },
  { variable: 'CODEX_SANDBOX', agent: 'codex' },
  { variable: 'CODEX_THREAD_ID', agent: 'codex' },
  { variable: 'OPENCODE', agent: 'opencode' },
  { variable: 'GOOSE_TERMINAL', agent: 'goose' },
  { variable: 'COPILOT_CLI', agent: 'copilot' },
];

/** Identifies the caller from the account and the environment. */
export function identifyCaller(system: System): Caller {
  const named = system.env[SESSION_VARIABLE];
  const caller = { account: system.account, ...(named && { session: printable(excerpt(named, 128)) }) };
  for (const mark of AGENT_MARKS) {
    const value = system.env[mark.variable];
    if (value) return { ...caller, agent: mark.agent ?? printable(excerpt(value, 64)) };
  }
  return { ...caller, agent: null };
}
