import type { JsonValue } from '../base/json.ts';

/** A tool call requested by the model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Arguments as JSON text. May be malformed in a model's response; always valid in a conversation. */
  readonly arguments: string;
}

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
  readonly attachments?: readonly Attachment[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Opaque data that the provider requires back with this message, such as signed reasoning; only the adapter that created it reads it. */
  readonly state?: ProviderState;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: string;
  /** Images of the response. */
  readonly attachments?: readonly Attachment[];
}

/** A file in a message. A model that does not accept it gets a description instead. */
export interface Attachment {
  /** The type of its content: an image (PNG, JPEG, GIF, WebP) or `application/pdf`. */
  readonly mediaType: string;
  /** The content in base64. */
  readonly data: string;
  readonly name?: string;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Provider-specific data. `provider` names its owner, so that it is never sent to another provider. */
export interface ProviderState {
  readonly provider: string;
  readonly value: JsonValue;
}

/** Returns the attachments as part of a message; nothing when there are none. */
export function withAttachments(
  attachments: readonly Attachment[] | undefined,
): Pick<UserMessage, 'attachments'> {
  return attachments === undefined || attachments.length === 0 ? {} : { attachments };
}
