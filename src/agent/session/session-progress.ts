import type { Ledger } from '../accounting/ledger.ts';
import { contextLimit, type ContextGuard } from '../context/context-guard.ts';
import type { Message } from '../conversation.ts';
import type { SessionConfig } from '../session-config.ts';
import type { SessionProgress, SessionTotals, StoredLimits } from '../session-record.ts';
import type { SessionTransport } from '../transport/transport.ts';
import type { SessionState } from './session-state.ts';

/** The part of a session that its recorder reads. */
export interface RecordedProgress {
  readonly conversation: readonly Message[];
  readonly state: SessionState;
  readonly contextGuard: ContextGuard;
  readonly transport: SessionTransport;
  readonly ledger: Ledger;
  readonly config: Pick<SessionConfig, 'targets' | 'limits'>;
}

/** Returns the counters that a resumed session continues with. */
export function progressOf({ state, contextGuard, transport, config }: RecordedProgress): SessionProgress {
  const { forcedFinal, lastStopReason, lastText, notice, compaction } = state;
  return {
    turn: state.turn,
    turnsCompleted: state.turnsCompleted,
    toolBudgetExceeded: state.toolBudgetExceeded,
    reportAttempts: state.reportAttempts,
    currentTokens: contextGuard.currentTokens,
    pendingTokens: contextGuard.unsettledTokens,
    contextLimit: Math.min(...config.targets.map(contextLimit)),
    slot: transport.slot(),
    ...(forcedFinal !== undefined && { forcedFinal }),
    ...(lastStopReason !== undefined && { lastStopReason }),
    ...(lastText !== undefined && { lastText }),
    ...(notice !== undefined && { notice }),
    ...(compaction !== undefined && { compaction }),
  };
}

/** Returns what a session has spent. */
export function totalsOf({ state, ledger }: RecordedProgress): SessionTotals {
  return { turns: state.turnsCompleted, tokens: ledger.tokens, costUsd: ledger.costUsd };
}

/** Returns the limits of a session that people watch. */
export function limitsOf({ limits }: Pick<SessionConfig, 'limits'>): StoredLimits {
  const { maxTurns, maxTotalTokens, maxCostUsd, maxDurationMs } = limits;
  return {
    maxTurns,
    ...(maxTotalTokens !== undefined && { maxTotalTokens }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(maxDurationMs !== undefined && { maxDurationMs }),
  };
}
