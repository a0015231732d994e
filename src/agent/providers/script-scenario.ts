import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { LlmFailureClass, LlmUsage } from '../llm-port.ts';

/** A written play for a model: what it answers, request by request. */
export interface Scenario {
  readonly steps: readonly ScenarioStep[];
  /** What every answer is said to have used when its step does not tell. */
  readonly usage?: LlmUsage;
}

/** One answer. A text may contain `ai-agent-NONCE-`, which becomes the session's own. */
export interface ScenarioStep {
  readonly text?: string;
  readonly reasoning?: string;
  /** As native calls or as tags, whichever the request asks for. */
  readonly toolCalls?: readonly ScenarioCall[];
  /** The final report: as a tag or as a tool call, whichever the request asks for. */
  readonly report?: string | JsonObject;
  readonly stopReason?: string;
  readonly usage?: LlmUsage;
  readonly costUsd?: number;
  /** How the text is cut for streaming, in characters; whole when absent. */
  readonly chunkCharacters?: number;
  /** Instead of an answer. */
  readonly failure?: {
    readonly class: LlmFailureClass;
    readonly status?: number;
    readonly retryAfterMs?: number;
    readonly message?: string;
  };
  /** Answers nothing until the request is aborted. */
  readonly hang?: boolean;
  /** What the request must be for; anything else is a failure that says so. */
  readonly expect?: { readonly provider?: string; readonly model?: string };
}

export interface ScenarioCall {
  readonly id?: string;
  readonly name: string;
  /** An object, or text to be sent as it is, sound or not. */
  readonly arguments?: JsonObject | string;
}

/** Reads a scenario from JSON text; refuses one whose steps are not steps. */
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
