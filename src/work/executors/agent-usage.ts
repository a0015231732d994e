import { isPlainObject, type JsonObject } from '../../base/json.ts';

/** Sums up what an agent reports about its session, models, tokens and cost. */
export interface UsageReader {
  readonly push: (line: string) => void;
  /** Undefined if the agent reported nothing. */
  readonly read: () => JsonObject | undefined;
  readonly sessionId: () => string | undefined;
}

interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

const NONE: Tokens = { input: 0, output: 0, cached: 0 };

/**
 * `claude --output-format stream-json`: the result has the tokens of this call and the cost of the session. Without a result, as after
 * a timeout, the tokens of its messages are summed up.
 */
export function createClaudeUsage(): UsageReader {
  const models = new Set<string>();
  const messages = new Map<string, Tokens>();
  let total: { tokens: Tokens; turns?: number | undefined; cost?: number | undefined } | undefined;
  let session: string | undefined;
  return {
    push: onEvent((event) => {
      session = text(event.session_id) ?? session;
      if (event.type === 'result') {
        const [turns, cost] = [number(event.num_turns), number(event.total_cost_usd)];
        total = { tokens: claudeTokens(event.usage), turns, cost };
      }
      const { message } = event;
      if (event.type !== 'assistant' || !isPlainObject(message)) return;
      const model = text(message.model);
      if (model !== undefined && model !== '<synthetic>') models.add(model);
      messages.set(text(message.id) ?? `message-${messages.size}`, claudeTokens(message.usage));
    }),
    read: () => {
      if (session === undefined && total === undefined && messages.size === 0) return undefined;
      return {
        ...(session !== undefined && { session_id: session }),
        models: [...models],
        requests: messages.size,
        ...(total?.turns !== undefined && { turns: total.turns }),
        tokens: { ...(total?.tokens ?? sum([...messages.values()])) },
        ...(total?.cost !== undefined && { session_cost_usd: total.cost }),
      };
    },
    sessionId: () => session,
  };
}

/** `codex exec --json`: each turn ends with the tokens of the whole thread. It reports neither models nor cost. */
export function createCodexUsage(): UsageReader {
  let session: string | undefined;
  let tokens: Tokens | undefined;
  let turns = 0;
  return {
    push: onEvent((event) => {
      if (event.type === 'thread.started') session = text(event.thread_id) ?? session;
      if (event.type !== 'turn.completed') return;
      turns += 1;
      const usage = isPlainObject(event.usage) ? event.usage : {};
      tokens = {
        input: number(usage.input_tokens) ?? 0,
        output: number(usage.output_tokens) ?? 0,
        cached: number(usage.cached_input_tokens) ?? 0,
      };
    }),
    read: () =>
      session === undefined && tokens === undefined
        ? undefined
        : {
            ...(session !== undefined && { session_id: session }),
            turns,
            ...(tokens !== undefined && { session_tokens: { ...tokens } }),
          },
    sessionId: () => session,
  };
}

/** Completes a usage with what this run alone used: totals of a continued session are reduced by the totals after the previous run. */
export function withoutEarlier(usage: JsonObject, earlier: JsonObject | undefined): JsonObject {
  const { session_cost_usd: cost, session_tokens: tokens } = usage;
  const isSame = earlier !== undefined && earlier.session_id === usage.session_id;
  const before = isSame ? earlier : {};
  return {
    ...usage,
    ...(typeof cost === 'number' && {
      cost_usd: Math.max(0, cost - (number(before.session_cost_usd) ?? 0)),
    }),
    ...(isPlainObject(tokens) && { tokens: subtract(tokens, before.session_tokens) }),
  };
}

function subtract(now: Readonly<Record<string, unknown>>, before: unknown): JsonObject {
  const known = isPlainObject(before) ? before : {};
  return Object.fromEntries(
    Object.entries(now).map(([name, value]) => [
      name,
      Math.max(0, (number(value) ?? 0) - (number(known[name]) ?? 0)),
    ]),
  );
}

function onEvent(read: (event: Readonly<Record<string, unknown>>) => void): (line: string) => void {
  return (line) => {
    if (!line.startsWith('{')) return;
    try {
      const event: unknown = JSON.parse(line);
      if (isPlainObject(event)) read(event);
    } catch {
      // Ordinary output.
    }
  };
}

function claudeTokens(usage: unknown): Tokens {
  if (!isPlainObject(usage)) return NONE;
  return {
    input: number(usage.input_tokens) ?? 0,
    output: number(usage.output_tokens) ?? 0,
    cached: number(usage.cache_read_input_tokens) ?? 0,
  };
}

function sum(all: readonly Tokens[]): Tokens {
  return all.reduce(
    (total, { input, output, cached }) => ({
      input: total.input + input,
      output: total.output + output,
      cached: total.cached + cached,
    }),
    NONE,
  );
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
