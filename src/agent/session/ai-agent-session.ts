import { randomHex, randomId } from '../../base/ids.ts';
import { Budget } from '../accounting/budget.ts';
import { Ledger } from '../accounting/ledger.ts';
import type { AIAgentResult, ErrorKind, FailureReason } from '../agent-result.ts';
import { ContextGuard } from '../context/context-guard.ts';
import { loadTokenEstimate } from '../context/token-estimate.ts';
import type { Message } from '../conversation.ts';
import { createFailureReport } from '../report/failure-report.ts';
import type { SessionConfig } from '../session-config.ts';
import type { LogLevel, SessionHappening } from '../session-event.ts';
import type { SessionPorts } from '../session-ports.ts';
import type { ToolHost } from '../tool-host.ts';
import { createInternalHost } from '../tools/internal-host.ts';
import { ToolQueues } from '../tools/tool-queues.ts';
import { checkConfig } from './check-session-config.ts';
import { closeTools } from './close-tools.ts';
import { createTransport } from './create-transport.ts';
import { RateLimitWaits } from './rate-limit-waits.ts';
import { runTurns, type TurnsEnd } from './run-turns.ts';
import { createSessionEnds, endReason, type SessionEnds } from './session-ends.ts';
import type { SessionIds, SessionScope, SessionState } from './session-scope.ts';
import { startTools, StartFailure } from './start-tools.ts';

/** One task given to a model with tools. It runs once, within its limits, and always comes to a result. */
export class AIAgentSession {
  readonly #config: SessionConfig;
  readonly #ports: SessionPorts;
  readonly #ids: SessionIds;
  readonly #hosts: readonly ToolHost[];
  readonly #conversation: Message[] = [];
  readonly #state: SessionState = {
    turn: 0,
    turnsCompleted: 0,
    forcedFinal: undefined,
    toolBudgetExceeded: false,
    reportAttempts: 0,
    lastStopReason: undefined,
    lastFailure: undefined,
    gatheredText: undefined,
    notice: undefined,
  };
  readonly #ledger = new Ledger((entry) => this.#tell({ type: 'accounting.added', entry }));
  #result: Promise<AIAgentResult> | undefined;
  #concluded: AIAgentResult | undefined;

  private constructor(config: SessionConfig, ports: SessionPorts) {
    this.#config = config;
    this.#ports = ports;
    this.#ids = createIds(config);
    const internal = createInternalHost(config, (message) =>
      this.#tell({ type: 'progress.reported', message }),
    );
    // Without tools there is no progress to report and nothing to batch.
    this.#hosts = ports.tools.length > 0 ? [...ports.tools, internal] : [];
  }

  /** Throws a fault when the configuration cannot work. */
  static create(config: SessionConfig, ports: SessionPorts): AIAgentSession {
    checkConfig(config);
    return new AIAgentSession(config, ports);
  }

  /** Contract: never throws. A second call gives the result of the first. */
  async run(): Promise<AIAgentResult> {
    this.#result ??= this.#run();
    return this.#result;
  }

  /** What the session has come to by now, for whoever cannot wait until its tools are closed; if it still works, as one that was aborted. */
  resultSoFar(): AIAgentResult {
    return this.#concluded ?? this.#conclude(failure('aborted', 'The session was aborted.', 'aborted'));
  }

  async #run(): Promise<AIAgentResult> {
    const ends = createSessionEnds(this.#ports, this.#config.limits);
    const budget = new Budget(this.#config.limits, this.#ports.callerBudget);
    let result: AIAgentResult;
    try {
      result = this.#conclude(await this.#work(ends, budget));
    } catch (error) {
      result = this.#conclude(endFromError(error, ends));
    }
    this.#concluded = result;
    ends.dispose();
    budget.close();
    // Before the tools are closed, which may take longer than whoever waits has patience.
    this.#saveSnapshot(result);
    await closeTools(this.#hosts, (message) => this.#log('WRN', message));
    this.#tell({ type: 'session.finished', result });
    return result;
  }

  async #work(ends: SessionEnds, budget: Budget): Promise<TurnsEnd> {
    const config = this.#config;
    const queues = this.#ports.queues ?? new ToolQueues({ default: { concurrent: 4 }, ...config.queues });
    const scope: SessionScope = {
      config,
      ports: this.#ports,
      ids: this.#ids,
      estimate: await loadTokenEstimate(config.targets),
      guard: new ContextGuard(config.targets),
      ledger: this.#ledger,
      budget,
      waits: new RateLimitWaits(),
      queues,
      transport: createTransport(config, this.#ports.nonce ?? randomHex(4)),
      tools: await startTools(this.#hosts, queues, ends.hardEnd),
      hardEnd: ends.hardEnd,
      softEnd: ends.softEnd,
      conversation: this.#conversation,
      state: this.#state,
      tell: (happening) => this.#tell(happening),
      log: (level, message, details) => this.#log(level, message, details),
    };
    for (const message of openingMessages(config)) {
      scope.conversation.push(message);
      scope.guard.append(scope.estimate.message(message));
    }
    this.#warnOfUnknownPrices();
    this.#tell({ type: 'session.started', tools: [...scope.tools.keys()], maxTurns: config.limits.maxTurns });
    return runTurns(scope, () => this.#saveSnapshot());
  }

  /** A cap on what nobody can reckon would be a false promise. */
  #warnOfUnknownPrices(): void {
    if (this.#config.limits.maxCostUsd === undefined) return;
    for (const { provider, model, pricing } of this.#config.targets) {
      if (pricing !== undefined) continue;
      this.#log('WRN', `maxCostUsd counts ${provider}/${model} only if it tells its cost: it has no price.`);
    }
  }

  #conclude(end: TurnsEnd): AIAgentResult {
    const shared = {
      conversation: this.#conversation,
      accounting: this.#ledger.entries,
      turns: this.#state.turnsCompleted,
      txnId: this.#ids.txnId,
    };
    if ('report' in end) return { success: true, finalReport: end.report, ...shared };
    const { error, errorKind, reason } = end;
    const facts = { ...this.#state, reason, message: error, conversation: this.#conversation };
    const finalReport = createFailureReport(facts, this.#config.output.format, this.#ports.clock.now());
    return { success: false, error, errorKind, finalReport, ...shared };
  }

  #saveSnapshot(result?: AIAgentResult): void {
    try {
      this.#ports.saveSnapshot?.({
        version: 1,
        ...this.#ids,
        savedAt: this.#ports.clock.now(),
        turn: this.#state.turn,
        conversation: this.#conversation,
        accounting: this.#ledger.entries,
        ...(result !== undefined && { result }),
      });
    } catch (error) {
      this.#log('WRN', `The snapshot could not be saved: ${String(error)}`);
    }
  }

  #log(
    level: LogLevel,
    message: string,
    details?: Extract<SessionHappening, { type: 'log' }>['details'],
  ): void {
    this.#tell({ type: 'log', level, message, ...(details !== undefined && { details }) });
  }

  #tell(happening: SessionHappening): void {
    const { agentId, callPath, txnId } = this.#ids;
    const origin = { at: this.#ports.clock.now(), agentId, callPath, txnId, turn: this.#state.turn };
    try {
      this.#ports.onEvent?.({ ...origin, ...happening });
    } catch {
      // Who watches must not be able to end the work.
    }
  }
}

function createIds({ agentId, trace }: SessionConfig): SessionIds {
  const txnId = trace?.txnId ?? randomId();
  return {
    agentId,
    callPath: trace?.callPath ?? agentId,
    txnId,
    ...(trace?.parentTxnId !== undefined && { parentTxnId: trace.parentTxnId }),
    originTxnId: trace?.originTxnId ?? txnId,
  };
}

function openingMessages({ systemPrompt, history = [], userPrompt }: SessionConfig): Message[] {
  return [{ role: 'system', content: systemPrompt }, ...history, { role: 'user', content: userPrompt }];
}

/** Nothing that happens inside leaves as an exception. */
function endFromError(error: unknown, ends: SessionEnds): TurnsEnd {
  if (error instanceof StartFailure) {
    return { reason: 'tools', error: error.message, errorKind: error.kind };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (!ends.hardEnd.aborted) return failure('internal', `Internal error: ${message}`, 'session');
  const reason = endReason(ends.hardEnd);
  return failure(
    reason,
    `The session ended before it began: ${message}`,
    reason === 'aborted' ? 'aborted' : 'session',
  );
}

function failure(reason: FailureReason, error: string, errorKind: ErrorKind): TurnsEnd {
  return { reason, error, errorKind };
}
