import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isPlainObject } from '../../base/json.ts';
import type { AssistantMessage, Message } from '../conversation.ts';
import type { ProviderFamily } from './provider-family.ts';

/** What a provider wants back with its own messages: signed reasoning, and marks on tool calls. */
export interface ReplayState {
  readonly reasoning: readonly LanguageModelV4ReasoningPart[];
  readonly toolCalls: Readonly<Record<string, SharedV4ProviderOptions>>;
}

/** These take system messages only at the beginning, or their models' templates do; later ones become the user's. */
const LEADING_SYSTEM: ReadonlySet<ProviderFamily> = new Set([
  'anthropic',
  'google',
  'openai-compatible',
  'ollama',
]);

/** Turns a conversation into the library's prompt. `stateKey` tells which replay states are this target's own. */
export function toPrompt(
  messages: readonly Message[],
  family: ProviderFamily,
  stateKey: string,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Message[] = [];
  let leading = true;
  for (const message of messages) {
    if (message.role !== 'system') leading = false;
    const converted = convert(message, leading || !LEADING_SYSTEM.has(family), stateKey);
    const last = prompt.at(-1);
    if (converted.role === 'tool' && last?.role === 'tool') last.content.push(...converted.content);
    else prompt.push(converted);
  }
  return prompt;
}

function convert(message: Message, systemAllowed: boolean, stateKey: string): LanguageModelV4Message {
  // Half a surrogate pair is no text to any provider; it costs the whole request.
  const text = message.content.toWellFormed();
  switch (message.role) {
    case 'system':
      if (systemAllowed) return { role: 'system', content: text };
      return { role: 'user', content: [{ type: 'text', text }] };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text }] };
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.toolCallId,
            toolName: message.toolName,
            output: { type: 'text', value: text },
          },
        ],
      };
    case 'assistant':
      return { role: 'assistant', content: assistantParts(message, text, stateKey) };
  }
}

function assistantParts(
  message: AssistantMessage,
  text: string,
  stateKey: string,
): (LanguageModelV4Message & { role: 'assistant' })['content'] {
  const { state } = message;
  const own = state?.provider === stateKey ? (state.value as unknown as ReplayState) : undefined;
  const calls = (message.toolCalls ?? []).map((call): LanguageModelV4ToolCallPart => {
    const providerOptions = own?.toolCalls[call.id];
    return {
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input: parseArguments(call.arguments),
      ...(providerOptions && { providerOptions }),
    };
  });
  const parts = [
    ...(own?.reasoning ?? []),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls,
  ];
  // A turn of reasoning alone still has its place in the conversation.
  return parts.length > 0 ? parts : [{ type: 'text', text: message.reasoning?.toWellFormed() || '…' }];
}

function parseArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isPlainObject(value) ? value : { value };
  } catch {
    return {};
  }
}
