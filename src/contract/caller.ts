import { excerpt, printable } from '../base/text.ts';
import type { Account, System } from './system.ts';

/** The caller: the account, and the agent if one can be identified. */
export interface Caller {
  readonly account: Account;
  readonly agent: string | null;
}

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
  for (const mark of AGENT_MARKS) {
    const value = system.env[mark.variable];
    if (value) return { account: system.account, agent: mark.agent ?? printable(excerpt(value, 64)) };
  }
  return { account: system.account, agent: null };
}
