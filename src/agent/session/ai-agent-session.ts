import { errorMessage } from '../../base/error-message.ts';
import { randomHex } from '../../base/ids.ts';
import { Budget } from '../accounting/budget.ts';
import { Ledger } from '../accounting/ledger.ts';
import type { AIAgentResult } from '../agent-result.ts';
import { ContextGuard } from '../context/context-guard.ts';
import { loadTokenEstimate } from '../context/token-estimate.ts';
import type { Message } from '../conversation.ts';
import { createFailureReport } from '../report/failure-report.ts';
import { mayShow } from '../guards/check-report.ts';
import type { SessionConfig } from '../session-config.ts';
import type { LogLevel, SessionEvent, SessionEventBody } from '../session-event.ts';
import type { StoredResult } from '../session-record.ts';
import type { StoredSession } from '../stored-session/restore-session.ts';
import type { SessionPorts } from '../session-ports.ts';
import type { ToolHost } from '../tool-host.ts';
import { createInternalHost } from '../tools/internal-host.ts';
import { ToolQueues } from '../tools/tool-queues.ts';
import { checkApprovalRules } from './check-approval-rules.ts';
import { checkSessionConfig } from './check-session-config.ts';
import { checkToolSizes } from './check-tool-sizes.ts';
import { closeTools } from './close-tools.ts';
import { failure, outcomeFromError } from './failed-outcome.ts';
import { createIds, initialMessages } from './initial-messages.ts';
import { EventStream } from './event-stream.ts';
import { createTransport } from './create-transport.ts';
import { createToolRefresh } from './refresh-tools.ts';
import { renderServerInstructions } from './server-instructions.ts';
import { initialState, restoreScope } from './restore-scope.ts';
import { SessionLogWriter } from './session-log-writer.ts';
import { RateLimitBackoff } from './rate-limit-backoff.ts';
import { runTurns } from './run-turns.ts';
import type { TurnsOutcome } from './turns-outcome.ts';
import { createSessionSignals, type SessionSignals } from './session-signals.ts';
import type { SessionIds, SessionScope } from './session-scope.ts';
import type { SessionState } from './session-state.ts';
import { warnAboutUnknownPrices } from './unknown-prices.ts';
import { startTools } from './start-tools.ts';

/** Runs one task with a model and tools. A session runs once, within its limits, and always returns a result. */
export class AIAgentSession {
  readonly #config: SessionConfig;
  readonly #ports: SessionPorts;
  readonly #ids: SessionIds;
  readonly #hosts: readonly ToolHost[];
  readonly #conversation: Message[] = [];
  readonly #state: SessionState;
  readonly #recorder: SessionLogWriter;
  readonly #events: EventStream;
  #scope: SessionScope | undefined;
  readonly #ledger = new Ledger((entry) => this.#emit({ type: 'accounting.added', entry }));
  #result: Promise<AIAgentResult> | undefined;
  #concluded: AIAgentResult | undefined;

  private constructor(config: SessionConfig, ports: SessionPorts) {
    this.#config = config;
    this.#ports = ports;
    this.#ids = createIds(config);
    this.#events = ports.events ?? new EventStream(ports.onEvent);
    const { resume, sessionLog } = ports;
    this.#state = initialState(resume, ports);
    this.#conversation.push(...(resume?.conversation ?? []));
    this.#recorder = new SessionLogWriter(sessionLog, resume, (message) => this.#log('WRN', message));
    const internal = createInternalHost(config, (message) =>
      this.#emit({ type: 'progress.reported', message }),
    );
    // Progress reports and batches are useful only with other tools.
    this.#hosts = ports.tools.length > 0 ? [...ports.tools, internal] : [];
  }

  /** Creates a session. Throws a Fault for an invalid configuration. */
  static create(config: SessionConfig, ports: SessionPorts): AIAgentSession {
    checkSessionConfig(config);
    return new AIAgentSession(config, ports);
  }

  /** Runs the session. Contract: never throws; a second call returns the result of the first. */
  async run(): Promise<AIAgentResult> {
    this.#result ??= this.#start();
    return this.#result;
  }

  /** Runs the session and yields its events, and those of its sub-agents, as they happen; the last one contains the result. */
  stream(): AsyncGenerator<SessionEvent, void> {
    return this.#events.read(() => this.run());
  }

  /** Returns the result without waiting for tools to close; while the session still runs, the result of an aborted session. */
  resultSoFar(): AIAgentResult {
    return this.#concluded ?? this.#conclude(failure('aborted', 'The session was aborted.', 'aborted'));
  }

  async #start(): Promise<AIAgentResult> {
    const { sessionLog } = this.#ports;
    if (sessionLog === undefined) return this.#run();
    try {
      return await sessionLog.hold(() => this.#run());
    } catch (error) {
      // `run` never throws, so the session could not be locked. A new one runs without being recorded.
      const message = errorMessage(error);
      if (this.#ports.resume !== undefined) return this.#conclude(failure('internal', message, 'session'));
      this.#recorder.abandon(message);
      return this.#run();
    }
  }

  async #run(): Promise<AIAgentResult> {
    const { resume } = this.#ports;
    // The process may have ended between the report and its delivery.
    if (resume?.result?.success === true && this.#state.prompt === undefined)
      return this.#repeatResult(resume, resume.result);
    const signals = createSessionSignals(this.#ports, this.#config.limits, resume?.elapsedMs);
    const budget = new Budget(this.#config.limits, this.#ports.callerBudget);
    let result: AIAgentResult;
    try {
      result = this.#conclude(await this.#work(signals, budget));
    } catch (error) {
      result = this.#conclude(outcomeFromError(error, signals));
    }
    this.#concluded = result;
    signals.dispose();
    budget.close();
    // Saved before closing tools, because closing can take longer than the caller waits.
    this.#saveSnapshot(result);
    if (this.#scope !== undefined) this.#recorder.finished(this.#scope, result);
    this.#recorder.close();
    await closeTools(this.#hosts, (message) => this.#log('WRN', message));
    this.#emit({ type: 'session.finished', result });
    await this.#ports.flush?.();
    return result;
  }

  async #work(signals: SessionSignals, budget: Budget): Promise<TurnsOutcome> {
    const config = this.#config;
    const { resume, head } = this.#ports;
    const nonce = resume?.nonce ?? this.#ports.nonce ?? randomHex(4);
    const queues = this.#ports.queues ?? new ToolQueues({ default: { concurrent: 4 }, ...config.queues });
    const log: SessionScope['log'] = (level, message, details) => this.#log(level, message, details);
    const tools = await startTools(this.#hosts, queues, signals.abortSignal, log);
    const instructions = renderServerInstructions(this.#hosts);
    const isNative = config.transport === 'native';
    const scope: SessionScope = {
      config,
      ports: this.#ports,
      ids: this.#ids,
      estimate: await loadTokenEstimate(config.targets),
      contextGuard: new ContextGuard(config.targets),
      ledger: this.#ledger,
      budget,
      backoff: new RateLimitBackoff(),
      queues,
      transport: createTransport(config, nonce, resume?.answer?.slot ?? resume?.progress.slot),
      tools,
      refreshTools: createToolRefresh({ hosts: this.#hosts, tools, queues, log }),
      // In the XML transports no message but the instructions of a turn mentions tools.
      serverInstructions: isNative ? undefined : instructions,
      abortSignal: signals.abortSignal,
      stopSignal: signals.stopSignal,
      conversation: this.#conversation,
      state: this.#state,
      recorder: this.#recorder,
      emit: (body) => this.#emit(body),
      log,
    };
    this.#scope = scope;
    if (resume === undefined) {
      for (const message of initialMessages(config, isNative ? instructions : undefined)) {
        scope.conversation.push(message);
        scope.contextGuard.append(scope.estimate.message(message));
      }
      this.#recorder.opened({ id: this.#ids.txnId, nonce, head }, scope);
    } else restoreScope(scope, resume);
    warnAboutUnknownPrices(config, log);
    checkToolSizes(scope);
    checkApprovalRules(scope, this.#hosts);
    this.#emit({ type: 'session.started', tools: [...scope.tools.keys()], maxTurns: config.limits.maxTurns });
    return runTurns(scope, () => this.#saveSnapshot());
  }

  #repeatResult({ accounting, id, progress }: StoredSession, { finalReport }: StoredResult): AIAgentResult {
    const conversation = this.#conversation;
    const turns = progress.turnsCompleted;
    const result = { success: true, finalReport, conversation, accounting, turns, txnId: id };
    this.#concluded = result;
    this.#recorder.close();
    this.#emit({ type: 'session.finished', result });
    return result;
  }

  #conclude(end: TurnsOutcome): AIAgentResult {
    const shared = {
      conversation: this.#conversation,
      accounting: this.#ledger.entries,
      turns: this.#state.turnsCompleted,
      txnId: this.#ids.txnId,
    };
    if ('report' in end) return { success: true, finalReport: end.report, ...shared };
    const { error, errorKind, reason } = end;
    const { approvals } = this.#state;
    const { guards = [], output } = this.#config;
    const facts = {
      ...this.#state,
      reason,
      message: error,
      conversation: this.#conversation,
      mayShow: (text: string) => mayShow(guards, text),
    };
    const finalReport = createFailureReport(facts, output.format, this.#ports.clock.now());
    return {
      success: false,
      error,
      errorKind,
      finalReport,
      ...shared,
      // The turn that waits has its response, and ends when the session continues.
      ...(reason === 'approval_required' && { approvals, turns: this.#state.turn }),
    };
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
      this.#log('WRN', `Cannot save the session snapshot: ${String(error)}`);
    }
  }

  #log(
    level: LogLevel,
    message: string,
    details?: Extract<SessionEventBody, { type: 'log' }>['details'],
  ): void {
    this.#emit({ type: 'log', level, message, ...(details !== undefined && { details }) });
  }

  #emit(body: SessionEventBody): void {
    const { agentId, callPath, txnId } = this.#ids;
    const origin = { at: this.#ports.clock.now(), agentId, callPath, txnId, turn: this.#state.turn };
    this.#events.emit({ ...origin, ...body });
  }
}
