import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { LlmFailureClass, LlmUsage } from '../llm-port.ts';

/** The scripted responses of a model, one per request. */
export interface Scenario {
  readonly steps: readonly ScenarioStep[];
  /** The usage of every step that sets none. */
  readonly usage?: LlmUsage;
}

/** One response. `NONCE` in `ai-agent-NONCE-` is replaced with the session's nonce. */
export interface ScenarioStep {
  readonly text?: string;
  readonly reasoning?: string;
  /** Sent as native calls or as XML tags, depending on the request. */
  readonly toolCalls?: readonly ScenarioCall[];
  /** The final report, sent as an XML tag or as a tool call, depending on the request. */
  readonly report?: string | JsonObject;
  readonly stopReason?: string;
  readonly usage?: LlmUsage;
  readonly costUsd?: number;
  /** Chunk size of the streamed text in characters; one chunk when absent. */
  readonly chunkCharacters?: number;
  /** Fails the request instead of responding. */
  readonly failure?: {
    readonly class: LlmFailureClass;
    readonly status?: number;
    readonly retryAfterMs?: number;
    readonly message?: string;
  };
  /** Sends no response until the request is aborted. */
  readonly hang?: boolean;
  /** The expected target; the request fails for any other. */
  readonly expect?: { readonly provider?: string; readonly model?: string };
}

export interface ScenarioCall {
  readonly id?: string;
  readonly name: string;
  /** An object, or text that is sent unchanged, even if it is not valid JSON. */
  readonly arguments?: JsonObject | string;
}

/** Parses a scenario from JSON text. Throws when its steps are not a list of objects. */
export function parseScenario(text: string, origin: string): Scenario {
  const parsed = parseJson(text, origin);
  const steps = isPlainObject(parsed) ? parsed['steps'] : undefined;
  if (!Array.isArray(steps) || !steps.every(isPlainObject)) {
    throw new Fault('E_CONFIG', `${origin} is not a scenario: it needs a list of steps.`, {
      hint: 'Write {"steps": [{"text": "…"}, {"report": "…"}]}.',
      details: { origin },
    });
  }
  return parsed as Scenario;
}

function parseJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault('E_CONFIG', `${origin} is not valid JSON.`, { details: { origin }, cause: error });
  }
}
