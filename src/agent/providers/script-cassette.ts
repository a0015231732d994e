import { sha256 } from '../../base/digest.ts';
import { Fault } from '../../base/fault.ts';
import { canonicalJson, isPlainObject } from '../../base/json.ts';
import { redactShapes } from '../../base/redact.ts';
import type { LlmDelta, LlmOutcome, LlmPort, LlmRequest } from '../llm-port.ts';
import { findNonce, maskNonce, unmaskNonce } from './script-nonce.ts';

/** What was asked of models and what they answered, to be played again without them. */
export interface Cassette {
  readonly version: 1;
  readonly exchanges: readonly Exchange[];
}

export interface Exchange {
  readonly provider: string;
  readonly model: string;
  /** Of messages and tools, whatever the nonce was. */
  readonly requestDigest: string;
  /** Of each message by itself, by which a request that differs is known to differ where. */
  readonly messageDigests?: readonly string[];
  readonly deltas: readonly LlmDelta[];
  readonly outcome: LlmOutcome;
}

/** Wraps a port so that everything it answers is kept; `read` gives the cassette so far, without secrets. */
export function recordCassette(port: LlmPort): { port: LlmPort; read: () => Cassette } {
  const exchanges: Exchange[] = [];
  return {
    read: () => ({ version: 1, exchanges }),
    port: {
      attempt: async (request) => {
        const deltas: LlmDelta[] = [];
        const onDelta = (delta: LlmDelta): void => {
          deltas.push(delta);
          request.onDelta(delta);
        };
        const outcome = await port.attempt({ ...request, onDelta });
        const { provider, model } = request;
        const nonce = findNonce(request);
        exchanges.push({
          provider,
          model,
          requestDigest: digestRequest(request, nonce),
          messageDigests: digestMessages(request, nonce),
          deltas: mask(joinDeltas(deltas), nonce),
          outcome: mask(outcome, nonce),
        });
        return outcome;
      },
    },
  };
}

/**
 * Plays a cassette. A request gets the answer that was recorded for it; if there is none, because a tool answered otherwise today, it gets
 * the next one that was recorded for its model.
 */
export function playCassette({ exchanges }: Cassette): LlmPort {
  const unplayed = [...exchanges];
  return {
    attempt: async (request) => {
      const nonce = findNonce(request);
      const digest = digestRequest(request, nonce);
      const own = unplayed.filter(
        ({ provider, model }) => provider === request.provider && model === request.model,
      );
      const exchange = own.find(({ requestDigest }) => requestDigest === digest) ?? own[0];
      if (exchange === undefined) {
        const message = `The cassette has no further answer of ${request.provider}/${request.model}.`;
        return { ok: false, class: 'model_error', message };
      }
      unplayed.splice(unplayed.indexOf(exchange), 1);
      for (const delta of unmask(exchange.deltas, nonce)) request.onDelta(delta);
      return unmask(exchange.outcome, nonce);
    },
  };
}

/**
 * Plays a cassette to the letter: only a request that was recorded is answered, each answer once. The first other one is told, with where
 * it differs, and fails as every one after it does.
 */
export function playStrictly({ exchanges }: Cassette, onDivergence: (what: string) => void): LlmPort {
  const unplayed = [...exchanges];
  let divergence: string | undefined;
  return {
    attempt: async (request) => {
      const nonce = findNonce(request);
      const digest = digestRequest(request, nonce);
      const exchange = unplayed.find(
        ({ provider, model, requestDigest }) =>
          provider === request.provider && model === request.model && requestDigest === digest,
      );
      if (exchange === undefined || divergence !== undefined) {
        if (divergence === undefined) onDivergence((divergence = describeMiss(request, nonce, unplayed)));
        return { ok: false, class: 'model_error', message: divergence };
      }
      unplayed.splice(unplayed.indexOf(exchange), 1);
      for (const delta of unmask(exchange.deltas, nonce)) request.onDelta(delta);
      return unmask(exchange.outcome, nonce);
    },
  };
}

function describeMiss(request: LlmRequest, nonce: string | undefined, unplayed: readonly Exchange[]): string {
  const name = `${request.provider}/${request.model}`;
  const next = unplayed.find(({ provider, model }) => `${provider}/${model}` === name);
  if (next === undefined) return `${name} is asked once more than it was then`;
  const now = digestMessages(request, nonce);
  const then = next.messageDigests ?? [];
  const at = now.findIndex((digest, index) => digest !== then[index]);
  const message = request.messages[at];
  if (message === undefined)
    return `${name} is asked something else than then: ${at < 0 && now.length === then.length ? 'the tools are others' : 'messages are missing'}`;
  const whose = message.role === 'tool' ? `the result of ${message.toolName}` : `from the ${message.role}`;
  return `${name} is asked something else than then: message ${at + 1}, ${whose}, is another one`;
}

export function renderCassette(cassette: Cassette): string {
  return `${JSON.stringify(cassette, undefined, 2)}\n`;
}

/** Reads a cassette from JSON text. */
export function parseCassette(text: string, origin: string): Cassette {
  const cassette: unknown = readJson(text);
  if (isPlainObject(cassette) && cassette['version'] === 1 && Array.isArray(cassette['exchanges'])) {
    return cassette as unknown as Cassette;
  }
  throw new Fault('E_CONFIG', `${origin} is not a cassette of version 1.`, { details: { origin } });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function digestRequest({ messages, tools }: LlmRequest, nonce: string | undefined): string {
  return digestOf({ messages, tools }, nonce);
}

function digestMessages({ messages }: LlmRequest, nonce: string | undefined): string[] {
  return messages.map((message) => digestOf(message, nonce).slice(0, 16));
}

/** A transport tells the model how long its tools took, which is never the same twice and changes nothing. */
function digestOf(value: unknown, nonce: string | undefined): string {
  return sha256(maskNonce(canonicalJson(value), nonce).replaceAll(/duration: \d+ ms/gu, 'duration'));
}

/** A stream comes in hundreds of pieces; how it was cut is not worth keeping. */
function joinDeltas(deltas: readonly LlmDelta[]): LlmDelta[] {
  const joined: LlmDelta[] = [];
  for (const delta of deltas) {
    const last = joined.at(-1);
    if (delta.type === 'alive') continue;
    if (last !== undefined && last.type === delta.type) {
      joined[joined.length - 1] = { type: delta.type, text: last.text + delta.text };
    } else joined.push(delta);
  }
  return joined;
}

function mask<T>(value: T, nonce: string | undefined): T {
  return JSON.parse(maskNonce(JSON.stringify(redactShapes(value)), nonce)) as T;
}

function unmask<T>(value: T, nonce: string | undefined): T {
  return JSON.parse(unmaskNonce(JSON.stringify(value), nonce)) as T;
}
