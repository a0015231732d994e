import type { JsonObject } from '../../base/json.ts';
import type { TraceIds } from '../accounting-entry.ts';
import type { Budget } from '../accounting/budget.ts';
import type { Ledger } from '../accounting/ledger.ts';
import type { FailureReason } from '../agent-result.ts';
import type { ContextGuard } from '../context/context-guard.ts';
import type { TokenEstimate } from '../context/token-estimate.ts';
import type { Message } from '../conversation.ts';
import type { SessionConfig } from '../session-config.ts';
import type { LogLevel, SessionHappening } from '../session-event.ts';
import type { SessionPorts } from '../session-ports.ts';
import type { ToolDefinition, ToolHost } from '../tool-host.ts';
import type { ToolQueues } from '../tools/tool-queues.ts';
import type { SessionTransport } from '../transport/transport.ts';
import type { RateLimitWaits } from './rate-limit-waits.ts';

/** What everything in a running session needs to know of it. */
export interface SessionScope {
  readonly config: SessionConfig;
  readonly ports: SessionPorts;
  readonly ids: SessionIds;
  readonly estimate: TokenEstimate;
  readonly guard: ContextGuard;
  readonly ledger: Ledger;
  readonly budget: Budget;
  readonly waits: RateLimitWaits;
  readonly queues: ToolQueues;
  readonly transport: SessionTransport;
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** Aborts when the session must end at once. */
  readonly hardEnd: AbortSignal;
  /** Aborts when it should come to its end: tools stop, one final turn follows. */
  readonly softEnd: AbortSignal;
  readonly conversation: Message[];
  readonly state: SessionState;
  readonly tell: (happening: SessionHappening) => void;
  readonly log: (level: LogLevel, message: string, details?: JsonObject) => void;
}

export interface SessionIds extends Required<Omit<TraceIds, 'parentTxnId'>> {
  readonly parentTxnId?: string;
}

export interface OfferedTool {
  readonly definition: ToolDefinition;
  readonly host: ToolHost;
}

/** What changes while a session runs. */
export interface SessionState {
  turn: number;
  turnsCompleted: number;
  /** Why the next turn, or this one, must be the last; the first reason stays. */
  forcedFinal: FailureReason | undefined;
  /** A response did not fit: no further tool may start. */
  toolBudgetExceeded: boolean;
  reportAttempts: number;
  lastStopReason: string | undefined;
  lastFailure: string | undefined;
  /** What a model said that is no report, kept for the case that there will be none. */
  gatheredText: string | undefined;
  /** Told to the model with the next request, once. */
  notice: string | undefined;
}

/** Makes the next turn the last one. */
export function forceFinal(scope: SessionScope, reason: FailureReason, details: JsonObject = {}): void {
  if (scope.state.forcedFinal !== undefined) return;
  scope.state.forcedFinal = reason;
  scope.log('WRN', `The final turn is forced: ${reason}.`, { forcedFinalTurnReason: reason, ...details });
}

/** Tells whether only the report may be asked for. */
export function isFinalTurn({ state, config }: SessionScope): boolean {
  return state.forcedFinal !== undefined || state.turn >= config.limits.maxTurns;
}
