import { REDACTED } from '../base/secrets/redact.ts';
import { isSecretName } from '../base/secrets/secret-name.ts';
import type { LlmDelta, LlmOutcome, LlmPort } from './llm-port.ts';
import type { ToolHost } from './tool-host.ts';

/** Replaces every known secret value with a placeholder. */
export interface Mask {
  readonly text: (text: string) => string;
  /** For streamed text: holds back a possible prefix of a secret until the next chunk or the end. */
  readonly stream: (emit: (text: string) => void) => MaskedStream;
}

export interface MaskedStream {
  readonly push: (piece: string) => void;
  readonly end: () => void;
}

/** Shorter values may be ordinary words. */
const SHORTEST_SECRET = 8;
const SECRET_NAME = /key|token|secret|password|auth|cookie|credential/iu;

export function createMask(secrets: readonly string[]): Mask {
  // Longest first, because one secret may contain another.
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length);
  const mask = (text: string): string =>
    known.reduce((masked, secret) => masked.replaceAll(secret, REDACTED), text);
  const stream: Mask['stream'] = (emit) => {
    let held = '';
    const emitNonEmpty = (text: string): void => {
      if (text !== '') emit(text);
    };
    return {
      push: (piece) => {
        const text = mask(held + piece);
        const from = text.length - partialSecretLength(text, known);
        held = text.slice(from);
        emitNonEmpty(text.slice(0, from));
      },
      end: () => {
        emitNonEmpty(held);
        held = '';
      },
    };
  };
  return { text: mask, stream };
}

/** Returns the length of the longest suffix of a text that is a proper prefix of a secret. */
function partialSecretLength(text: string, known: readonly string[]): number {
  for (let length = Math.min(text.length, (known[0]?.length ?? 1) - 1); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (known.some((secret) => secret.length > length && secret.startsWith(end))) return length;
  }
  return 0;
}

/** Returns whether a header or variable with this name usually contains a secret. */
export function hasSecretName(name: string): boolean {
  return isSecretName(name) || SECRET_NAME.test(name);
}

/** Returns the values of headers or variables with secret-looking names; for `Bearer x` also `x` alone. */
export function findSecretValues(values: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(values)
    .filter(([name]) => hasSecretName(name))
    .flatMap(([, value]) => [value, value.slice(value.indexOf(' ') + 1)]);
}

/**
 * Masks secrets in everything a model returns. Keys have no common format, so they are matched by value. Without masking, a model
 * or tool that repeats a key would write it into the conversation, logs and snapshots.
 */
export function maskLlm(port: LlmPort, mask: Mask): LlmPort {
  return {
    attempt: async (request) => {
      const text = mask.stream((piece) => request.onDelta({ type: 'text', text: piece }));
      const reasoning = mask.stream((piece) => request.onDelta({ type: 'reasoning', text: piece }));
      const onDelta = (delta: LlmDelta): void => {
        if (delta.type === 'text') text.push(delta.text);
        else if (delta.type === 'reasoning') reasoning.push(delta.text);
        else if (delta.type === 'other') request.onDelta({ ...delta, text: mask.text(delta.text) });
        // The mask may hold text back; `alive` still resets the silence timeout.
        request.onDelta({ type: 'alive' });
      };
      const outcome = await port.attempt({ ...request, onDelta });
      reasoning.end();
      text.end();
      return maskOutcome(outcome, mask.text);
    },
  };
}

/** Masks secrets in everything a tool returns. */
export function maskToolHost(host: ToolHost, mask: Mask): ToolHost {
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
  const masked = {
    ...outcome,
    text: mask(text),
    reasoning: mask(reasoning),
    toolCalls: toolCalls.map((call) => ({ ...call, arguments: mask(call.arguments) })),
    ...(state !== undefined && { state: JSON.parse(mask(JSON.stringify(state))) as typeof state }),
  };
  return JSON.stringify(masked) === JSON.stringify(outcome)
    ? outcome
    : { ...masked, warnings: [...(outcome.warnings ?? []), MASKED] };
}

const MASKED = `The model's response contains a configured key or credential; it was replaced by ${REDACTED}.`;
