import type { JsonObject } from '../../base/json.ts';
import type { TraceIds } from '../accounting-entry.ts';
import type { Budget } from '../accounting/budget.ts';
import type { Ledger } from '../accounting/ledger.ts';
import type { FailureReason } from '../agent-result.ts';
import type { ContextGuard } from '../context/context-guard.ts';
import type { TokenEstimate } from '../context/token-estimate.ts';
import type { Message } from '../conversation.ts';
import type { SessionConfig } from '../session-config.ts';
import type { LogLevel, SessionEventBody } from '../session-event.ts';
import type { SessionPorts } from '../session-ports.ts';
import type { ToolDefinition, ToolHost } from '../tool-host.ts';
import type { ToolQueues } from '../tools/tool-queues.ts';
import type { SessionTransport } from '../transport/transport.ts';
import type { SessionLogWriter } from './session-log-writer.ts';
import type { SessionState } from './session-state.ts';
import type { RateLimitBackoff } from './rate-limit-backoff.ts';

/** The shared context of a running session. */
export interface SessionScope {
  readonly config: SessionConfig;
  readonly ports: SessionPorts;
  readonly ids: SessionIds;
  readonly estimate: TokenEstimate;
  readonly contextGuard: ContextGuard;
  readonly ledger: Ledger;
  readonly budget: Budget;
  readonly backoff: RateLimitBackoff;
  readonly queues: ToolQueues;
  readonly transport: SessionTransport;
  readonly tools: ReadonlyMap<string, AvailableTool>;
  /** Updates `tools` where a host has changed its list. */
  readonly refreshTools: () => void;
  /** Instructions of the tool servers for the use of their tools, sent with each turn. */
  readonly serverInstructions: string | undefined;
  /** Aborts when the session must end immediately. */
  readonly abortSignal: AbortSignal;
  /** Aborts when the session must stop gracefully: tools are cancelled, and one final turn follows. */
  readonly stopSignal: AbortSignal;
  readonly conversation: Message[];
  readonly state: SessionState;
  /** Records each step of the session. */
  readonly recorder: SessionLogWriter;
  readonly emit: (body: SessionEventBody) => void;
  readonly log: (level: LogLevel, message: string, details?: JsonObject) => void;
}

export interface SessionIds extends Required<Omit<TraceIds, 'parentTxnId'>> {
  readonly parentTxnId?: string;
}

export interface AvailableTool {
  readonly definition: ToolDefinition;
  readonly host: ToolHost;
}

/** Makes the next turn the final one. */
export function forceFinal(scope: SessionScope, reason: FailureReason, details: JsonObject = {}): void {
  if (scope.state.forcedFinal !== undefined) return;
  scope.state.forcedFinal = reason;
  scope.log('WRN', `Forcing the final turn: ${reason}.`, { forcedFinalTurnReason: reason, ...details });
}

/** Returns whether the model may only return its report. */
export function isFinalTurn({ state, config }: SessionScope): boolean {
  return state.forcedFinal !== undefined || state.turn >= config.limits.maxTurns;
}
