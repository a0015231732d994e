import type { AccountingEntry, TraceIds } from '../accounting-entry.ts';
import type { AIAgentResult } from '../agent-result.ts';
import type { Message } from '../conversation.ts';

/** The saved state of a session. */
export interface SessionSnapshot extends TraceIds {
  readonly version: 1;
  readonly savedAt: number;
  readonly turn: number;
  readonly conversation: readonly Message[];
  readonly accounting: readonly AccountingEntry[];
  /** Set at the end of the session. */
  readonly result?: AIAgentResult;
}
