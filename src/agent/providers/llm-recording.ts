import { sha256 } from '../../system/digest.ts';
import { Fault } from '../../base/fault.ts';
import { canonicalJson, isPlainObject } from '../../base/json.ts';
import { redactTexts } from '../../base/secrets/redact.ts';
import type { LlmDelta, LlmOutcome, LlmPort, LlmRequest } from '../llm-port.ts';
import { inEarlierWording } from './earlier-wording.ts';
import { findNonce, maskNonce, unmaskNonce } from './script-nonce.ts';

/**
 * Identifies the wording of the built-in instructions to models (system prompt frames, turn instructions, notices, tool descriptions). Raise it
 * when that wording changes: recordings made with another wording are then compared without it.
 */
const INSTRUCTIONS_VERSION = 4;

/** Recorded requests and responses of models, for replay without a provider. */
export interface LlmRecording {
  readonly version: 1;
  /** Absent in recordings of 0.1.0. */
  readonly instructionsVersion?: number | undefined;
  readonly exchanges: readonly Exchange[];
}

export interface Exchange {
  readonly provider: string;
  readonly model: string;
  /** Digest of messages and tools, independent of the nonce. */
  readonly requestDigest: string;
  /** Digest of each message, to find the first message that differs. */
  readonly messageDigests?: readonly string[];
  readonly deltas: readonly LlmDelta[];
  readonly outcome: LlmOutcome;
}

/** Wraps a port and records its responses; `read` returns the recording so far, without secrets. */
export function recordLlm(port: LlmPort): { port: LlmPort; read: () => LlmRecording } {
  const exchanges: Exchange[] = [];
  return {
    read: () => ({ version: 1, instructionsVersion: INSTRUCTIONS_VERSION, exchanges }),
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
          deltas: mask(joinDeltas(deltas, outcome), nonce),
          outcome: mask(outcome, nonce),
        });
        return outcome;
      },
    },
  };
}

/**
 * Replays a recording leniently. A request gets the response recorded for it. Without one, because a tool returned something else this time, it
 * gets the next response recorded for its model.
 */
export function replayRecording({ exchanges }: LlmRecording): LlmPort {
  const remaining = [...exchanges];
  return {
    attempt: async (request) => {
      const nonce = findNonce(request);
      const digest = digestRequest(request, nonce);
      const own = remaining.filter(
        ({ provider, model }) => provider === request.provider && model === request.model,
      );
      const exchange = own.find(({ requestDigest }) => requestDigest === digest) ?? own[0];
      if (exchange === undefined) {
        const message = `The recording has no further response of ${request.provider}/${request.model}.`;
        return { ok: false, class: 'model_error', message };
      }
      remaining.splice(remaining.indexOf(exchange), 1);
      for (const delta of unmask(exchange.deltas, nonce)) request.onDelta(delta);
      return unmask(exchange.outcome, nonce);
    },
  };
}

/**
 * Replays a recording strictly: only a recorded request gets a response, each response once. The first request that differs is reported
 * with the difference; it and all later requests fail. In a recording made with another wording of the built-in instructions, a request is
 * compared by what models and tools contributed to it.
 */
export function replayStrictly(
  { exchanges, instructionsVersion }: LlmRecording,
  onDivergence: (difference: string) => void,
): LlmPort {
  const remaining = [...exchanges];
  const matches = instructionsVersion === INSTRUCTIONS_VERSION ? hasSameDigest : hasSameContributions;
  let divergence: string | undefined;
  return {
    attempt: async (request) => {
      const nonce = findNonce(request);
      const exchange = remaining.find(
        (recorded) =>
          recorded.provider === request.provider &&
          recorded.model === request.model &&
          matches(recorded, request, nonce),
      );
      if (exchange === undefined || divergence !== undefined) {
        if (divergence === undefined)
          onDivergence((divergence = describeDivergence(request, nonce, remaining)));
        return { ok: false, class: 'model_error', message: divergence };
      }
      remaining.splice(remaining.indexOf(exchange), 1);
      for (const delta of unmask(exchange.deltas, nonce)) request.onDelta(delta);
      return unmask(exchange.outcome, nonce);
    },
  };
}

function hasSameDigest(recorded: Exchange, request: LlmRequest, nonce: string | undefined): boolean {
  return recorded.requestDigest === digestRequest(request, nonce);
}

/** Compares the messages of models and tools only: messages of the roles system and user contain our own instructions. */
function hasSameContributions(
  { messageDigests = [] }: Exchange,
  request: LlmRequest,
  nonce: string | undefined,
): boolean {
  const isRecorded = (message: LlmRequest['messages'][number], at: number): boolean => {
    if (message.role === 'system' || message.role === 'user') return true;
    const digests = [message, JSON.parse(inEarlierWording(JSON.stringify(message))) as unknown].map(
      (wording) => digestMessage(wording, nonce),
    );
    return digests.some((digest) => digest === messageDigests[at]);
  };
  return request.messages.length === messageDigests.length && request.messages.every(isRecorded);
}

function describeDivergence(
  request: LlmRequest,
  nonce: string | undefined,
  remaining: readonly Exchange[],
): string {
  const name = `${request.provider}/${request.model}`;
  const next = remaining.find(({ provider, model }) => `${provider}/${model}` === name);
  if (next === undefined) return `${name} received a request that was not recorded`;
  const actual = digestMessages(request, nonce);
  const recorded = next.messageDigests ?? [];
  const at = actual.findIndex((digest, index) => digest !== recorded[index]);
  const message = request.messages[at];
  if (message === undefined)
    return `${name} received a different request: ${at < 0 && actual.length === recorded.length ? 'the tools differ' : 'messages are missing'}`;
  const source = message.role === 'tool' ? `result of ${message.toolName}` : message.role;
  return `${name} received a different request: message ${at + 1} (${source}) differs`;
}

/** Renders a recording as JSON text. */
export function renderLlmRecording(recording: LlmRecording): string {
  return `${JSON.stringify(recording, undefined, 2)}\n`;
}

/** Parses a recording from JSON text. */
export function parseLlmRecording(text: string, origin: string): LlmRecording {
  const recording: unknown = readJson(text);
  if (isPlainObject(recording) && recording['version'] === 1 && Array.isArray(recording['exchanges'])) {
    return recording as unknown as LlmRecording;
  }
  throw new Fault('E_CONFIG', `${origin} is not a recording of version 1.`, {
    hint: 'Record the session again with --record.',
    details: { origin },
  });
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
  return messages.map((message) => digestMessage(message, nonce));
}

function digestMessage(message: unknown, nonce: string | undefined): string {
  return digestOf(message, nonce).slice(0, 16);
}

/** Returns the digest of a value without tool durations, which differ in every run. */
function digestOf(value: unknown, nonce: string | undefined): string {
  return sha256(maskNonce(canonicalJson(value), nonce).replaceAll(/duration: \d+ ms/gu, 'duration'));
}

/**
 * Joins adjacent deltas of the same type; chunk boundaries are not recorded. What only counts for a failed attempt, that data arrived at
 * all included, is recorded for one.
 */
function joinDeltas(deltas: readonly LlmDelta[], { ok }: LlmOutcome): readonly LlmDelta[] {
  const joined: LlmDelta[] = [];
  const content = deltas.filter((delta) => delta.type !== 'alive' && !(ok && delta.type === 'other'));
  if (content.length === 0) return ok ? [] : deltas.slice(0, 1);
  for (const delta of content as Exclude<LlmDelta, { type: 'alive' }>[]) {
    const last = joined.at(-1);
    if (last !== undefined && last.type === delta.type) {
      joined[joined.length - 1] = { type: delta.type, text: last.text + delta.text };
    } else joined.push(delta);
  }
  return joined;
}

function mask<T>(value: T, nonce: string | undefined): T {
  return JSON.parse(maskNonce(JSON.stringify(redactTexts(value)), nonce)) as T;
}

function unmask<T>(value: T, nonce: string | undefined): T {
  return JSON.parse(unmaskNonce(JSON.stringify(value), nonce)) as T;
}
