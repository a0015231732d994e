import type { JsonObject } from '../../base/json.ts';
import type { Message, ToolCall } from '../conversation.ts';

/** A request that is about to be sent. */
export interface ModelCall {
  readonly agentId: string;
  readonly turn: number;
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly string[];
}

/** A response before the session processes it. */
export interface ModelResponse {
  readonly agentId: string;
  readonly turn: number;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
}

/** A tool call with valid arguments, before approval. */
export interface HookedCall {
  readonly agentId: string;
  readonly turn: number;
  readonly tool: string;
  readonly arguments: JsonObject;
}

type HookResult<T> = T | undefined | void | Promise<T | undefined | void>;

/**
 * Functions of the calling program around each model and tool call, of the session and its sub-agents. A hook that returns
 * nothing changes nothing. A hook that throws counts as a refusal with the message of its error.
 */
export interface SessionHooks {
  /** May replace the messages of this one request, or refuse it, which ends the session. */
  readonly beforeModel?: (call: ModelCall) => HookResult<{ readonly messages: readonly Message[] } | Refusal>;
  /** May refuse the response: it is discarded as a failed attempt, and the model gets the reason. */
  readonly afterModel?: (response: ModelResponse) => HookResult<Refusal>;
  /** May replace the arguments, or refuse the call; the model gets the reason. */
  readonly beforeTool?: (call: HookedCall) => HookResult<{ readonly arguments: JsonObject } | Refusal>;
  /** May replace the response that the model receives. */
  readonly afterTool?: (
    call: HookedCall,
    result: { readonly ok: boolean; readonly text: string },
  ) => HookResult<{ readonly text: string }>;
}

export interface Refusal {
  readonly refuse: string;
}
