import type { AccountingEntry, TraceIds } from '../accounting-entry.ts';
import type { AIAgentResult } from '../agent-result.ts';
import type { Message } from '../conversation.ts';

/** A session as it stood at a moment. */
export interface SessionSnapshot extends TraceIds {
  readonly version: 1;
  readonly savedAt: number;
  readonly turn: number;
  readonly conversation: readonly Message[];
  readonly accounting: readonly AccountingEntry[];
  /** Only at the end. */
  readonly result?: AIAgentResult;
}
