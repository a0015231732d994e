import type { JsonValue } from '../base/json.ts';

/** A tool that the model asks for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text. From a model it may be malformed; in a conversation it is always valid. */
  readonly arguments: string;
}

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** What the provider wants back with this message, such as signed reasoning; only the adapter that made it understands it. */
  readonly state?: ProviderState;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: string;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Marked with its provider, so that it is never sent to another one. */
export interface ProviderState {
  readonly provider: string;
  readonly value: JsonValue;
}
