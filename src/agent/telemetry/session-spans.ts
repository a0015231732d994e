import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { redactText } from '../../base/secrets/redact.ts';
import type { LlmAccountingEntry } from '../accounting-entry.ts';
import type { AIAgentResult } from '../agent-result.ts';
import { llmTotals } from '../accounting/llm-totals.ts';
import type { SessionEvent } from '../session-event.ts';
import type { GenAiMetrics } from './genai-metrics.ts';
import { errorAttributes, llmAttributes } from './llm-attributes.ts';

/** Which session an event belongs to. */
export interface SessionOrigin {
  readonly agentId: string;
  readonly txnId: string;
}

/** A session that runs: the root or a sub-agent. */
interface OpenSession {
  readonly span: Span;
  readonly calls: Map<string, Span>;
  /** A request whose failure class is not known yet. */
  entry: LlmAccountingEntry | undefined;
}

/** Turns the events of a session and its sub-agents into spans. The span of the session starts with it. */
export class SessionSpans {
  readonly root: Span;
  readonly #tracer: Tracer;
  readonly #metrics: GenAiMetrics | undefined;
  readonly #sessions = new Map<string, OpenSession>();
  /** The calls of sub-agents by the id of their session. */
  readonly #callers = new Map<string, Span>();

  constructor(tracer: Tracer, metrics: GenAiMetrics | undefined, parent: Context, origin: SessionOrigin) {
    this.#tracer = tracer;
    this.#metrics = metrics;
    this.root = this.#open(origin, parent).span;
  }

  onEvent(event: SessionEvent): void {
    if (event.type === 'session.started') this.#find(event);
    else if (event.type === 'accounting.added') this.#requestSettled(event);
    else if (event.type === 'llm.answered') this.#finishRequest(this.#find(event));
    else if (event.type === 'llm.failed') this.#finishRequest(this.#find(event), event.class);
    else if (event.type === 'tool.started') this.#toolStarted(event);
    else if (event.type === 'tool.finished') this.#toolFinished(event);
    else if (event.type === 'session.finished') this.#sessionFinished(event);
  }

  #open({ agentId, txnId }: SessionOrigin, parent: Context, startTime?: number): OpenSession {
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agentId,
      'gen_ai.conversation.id': txnId,
    };
    const span = this.#tracer.startSpan(
      `invoke_agent ${agentId}`,
      { kind: SpanKind.INTERNAL, attributes, ...(startTime !== undefined && { startTime }) },
      parent,
    );
    const session: OpenSession = { span, calls: new Map(), entry: undefined };
    this.#sessions.set(txnId, session);
    return session;
  }

  /** Returns the session of an event; the first event of a sub-agent opens it below its call. */
  #find(event: SessionEvent): OpenSession {
    const caller = this.#callers.get(event.txnId) ?? this.root;
    return this.#sessions.get(event.txnId) ?? this.#open(event, below(caller), event.at);
  }

  #requestSettled(event: EventOf<'accounting.added'>): void {
    const { entry, txnId } = event;
    if (entry.type !== 'llm') return;
    const session = this.#find(event);
    // Only for a request of a tool server: the failure class of the session's own requests may follow in another event.
    if (entry.parentTxnId === txnId) this.#addRequest(session, entry, 'failed');
    // The callers of a sub-agent get its entries too; those count for the span of the sub-agent only.
    if (entry.txnId !== txnId) return;
    this.#finishRequest(session);
    session.entry = entry;
  }

  #finishRequest(session: OpenSession, failure = 'failed'): void {
    const { entry } = session;
    session.entry = undefined;
    if (entry !== undefined) this.#addRequest(session, entry, failure);
  }

  #addRequest(session: OpenSession, entry: LlmAccountingEntry, failure: string): void {
    const span = this.#tracer.startSpan(
      `chat ${entry.model}`,
      { kind: SpanKind.CLIENT, startTime: entry.timestamp, attributes: llmAttributes(entry) },
      below(session.span),
    );
    if (entry.status === 'failed') fail(span, failure, entry.error);
    span.end(entry.timestamp + entry.latency);
    this.#metrics?.record(entry, failure);
  }

  #toolStarted(event: EventOf<'tool.started'>): void {
    const { tool, callId } = event;
    const session = this.#find(event);
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.type': 'function',
    };
    const span = this.#tracer.startSpan(
      `execute_tool ${tool}`,
      { kind: SpanKind.INTERNAL, startTime: event.at, attributes },
      below(session.span),
    );
    session.calls.set(callId, span);
    this.#callers.set(event.callTxnId, span);
  }

  #toolFinished(event: EventOf<'tool.finished'>): void {
    const span = this.#find(event).calls.get(event.callId);
    if (span !== undefined && !event.ok) fail(span, 'tool_error', event.error);
    span?.end(event.at);
  }

  #sessionFinished(event: EventOf<'session.finished'>): void {
    const session = this.#find(event);
    this.#finishRequest(session);
    for (const span of session.calls.values()) if (span.isRecording()) span.end(event.at);
    describeResult(session.span, event.result);
    session.span.end(event.at);
  }
}

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

function below(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}

function describeResult(span: Span, { accounting, success, error, errorKind, turns }: AIAgentResult): void {
  const { tokens, costUsd } = llmTotals(accounting);
  span.setAttributes({
    'gen_ai.usage.input_tokens': tokens.input + tokens.cached,
    'gen_ai.usage.output_tokens': tokens.output,
    'deed.agent.turns': turns,
    'deed.agent.cost_usd': costUsd,
  });
  if (!success) fail(span, errorKind ?? 'session', error);
}

function fail(span: Span, type: string, message: string | undefined): void {
  span.setAttributes(errorAttributes(type));
  span.setStatus({
    code: SpanStatusCode.ERROR,
    ...(message !== undefined && { message: redactText(message).slice(0, 500) }),
  });
}
