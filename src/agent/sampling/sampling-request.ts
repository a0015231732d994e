import type { Message } from '../conversation.ts';

/** A request to the model that a tool server makes while a call runs (MCP sampling). Untrusted text. */
export interface SamplingRequest {
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
}

export interface SamplingAnswer {
  readonly text: string;
  readonly model: string;
  readonly stopReason: string | undefined;
}
