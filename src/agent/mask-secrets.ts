import { isSecretKey, REDACTED } from '../base/redact.ts';
import type { LlmDelta, LlmOutcome, LlmPort } from './llm-port.ts';
import type { ToolHost } from './tool-host.ts';

/** Puts a mark in the place of every secret that is known by its value. */
export interface Mask {
  readonly text: (text: string) => string;
  /** For text that comes in pieces: what may be the beginning of a secret is held back until the next piece, or the end. */
  readonly stream: (emit: (text: string) => void) => MaskedStream;
}

export interface MaskedStream {
  readonly push: (piece: string) => void;
  readonly end: () => void;
}

/** Shorter values are words that stand in any text. */
const SHORTEST_SECRET = 8;
const SECRET_NAME = /key|token|secret|password|auth|cookie|credential/iu;

export function createMask(secrets: readonly string[]): Mask {
  // The longest first: one may be a part of another.
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length);
  const mask = (text: string): string =>
    known.reduce((masked, secret) => masked.replaceAll(secret, REDACTED), text);
  const stream: Mask['stream'] = (emit) => {
    let held = '';
    const say = (text: string): void => {
      if (text !== '') emit(text);
    };
    return {
      push: (piece) => {
        const text = mask(held + piece);
        const from = text.length - begunLength(text, known);
        held = text.slice(from);
        say(text.slice(0, from));
      },
      end: () => {
        say(held);
        held = '';
      },
    };
  };
  return { text: mask, stream };
}

/** How much of the end of a text may be the beginning of a secret. */
function begunLength(text: string, known: readonly string[]): number {
  for (let length = Math.min(text.length, (known[0]?.length ?? 1) - 1); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (known.some((secret) => secret.length > length && secret.startsWith(end))) return length;
  }
  return 0;
}

/** The secrets among headers or variables, told by their names; of `Bearer x` also the second word alone. */
export function secretsAmong(values: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(values)
    .filter(([name]) => isSecretKey(name) || SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, value.slice(value.indexOf(' ') + 1)]);
}

/**
 * Masks what models say and what tools return where it comes in. A key has no shape that everybody agrees on, and a tool that reads a
 * configuration file or repeats its headers would otherwise carry it into the conversation, and from there everywhere.
 */
export function maskLlm(port: LlmPort, mask: Mask): LlmPort {
  return {
    attempt: async (request) => {
      const text = mask.stream((piece) => request.onDelta({ type: 'text', text: piece }));
      const reasoning = mask.stream((piece) => request.onDelta({ type: 'reasoning', text: piece }));
      const onDelta = (delta: LlmDelta): void => {
        if (delta.type === 'text') text.push(delta.text);
        else if (delta.type === 'reasoning') reasoning.push(delta.text);
        // Whatever is held back of it, something came.
        request.onDelta({ type: 'alive' });
      };
      const outcome = await port.attempt({ ...request, onDelta });
      reasoning.end();
      text.end();
      return maskOutcome(outcome, mask.text);
    },
  };
}

export function maskHost(host: ToolHost, mask: Mask): ToolHost {
  return {
    ...host,
    call: async (name, args, context) => {
      const outcome = await host.call(name, args, context);
      return outcome.ok
        ? { ...outcome, text: mask.text(outcome.text) }
        : { ...outcome, reason: mask.text(outcome.reason) };
    },
  };
}

function maskOutcome(outcome: LlmOutcome, mask: Mask['text']): LlmOutcome {
  if (!outcome.ok) return { ...outcome, message: mask(outcome.message) };
  const { text, reasoning, toolCalls, state } = outcome;
  return {
    ...outcome,
    text: mask(text),
    reasoning: mask(reasoning),
    toolCalls: toolCalls.map((call) => ({ ...call, arguments: mask(call.arguments) })),
    ...(state !== undefined && { state: JSON.parse(mask(JSON.stringify(state))) as typeof state }),
  };
}
