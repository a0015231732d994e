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

/** Data that a provider requires back with its own messages: signed reasoning and tool call metadata. */
export interface ReplayState {
  readonly reasoning: readonly LanguageModelV4ReasoningPart[];
  readonly toolCalls: Readonly<Record<string, SharedV4ProviderOptions>>;
}

/** Families that, or whose chat templates, accept system messages only at the start; later ones are sent as user messages. */
const LEADING_SYSTEM_ONLY: ReadonlySet<ProviderFamily> = new Set([
  'anthropic',
  'google',
  'openai-compatible',
  'ollama',
]);

/** Converts a conversation to the AI SDK's prompt. `stateKey` identifies the provider states of this target. */
export function toPrompt(
  messages: readonly Message[],
  family: ProviderFamily,
  stateKey: string,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Message[] = [];
  let leading = true;
  for (const message of messages) {
    if (message.role !== 'system') leading = false;
    const converted = convert(message, leading || !LEADING_SYSTEM_ONLY.has(family), stateKey);
    const last = prompt.at(-1);
    if (converted.role === 'tool' && last?.role === 'tool') last.content.push(...converted.content);
    else prompt.push(converted);
  }
  return prompt;
}

function convert(message: Message, systemAllowed: boolean, stateKey: string): LanguageModelV4Message {
  // A lone surrogate makes providers reject the whole request.
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
  // Providers require content, also for a turn with only reasoning.
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
