import { ownMember } from '../../base/own-member.ts';
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isPlainObject } from '../../base/json.ts';
import { describeAttachment, kindOf, type AttachmentKind } from '../attachments/attachment-kinds.ts';
import type { AssistantMessage, Attachment, Message, ToolMessage } from '../conversation.ts';
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

/** How a target receives a conversation. */
export interface PromptTarget {
  readonly family: ProviderFamily;
  /** Identifies the provider states of this target. */
  readonly stateKey: string;
  readonly accepts: readonly AttachmentKind[];
  /** Tool results may contain images. */
  readonly hasToolImages: boolean;
}

/** Converts a conversation to the AI SDK's prompt. */
export function toPrompt(messages: readonly Message[], target: PromptTarget): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Message[] = [];
  const waiting: FileParts[] = [];
  const showWaiting = (): void => {
    const content = waiting.splice(0).flat();
    if (content.length > 0) prompt.push({ role: 'user', content });
  };
  let leading = true;
  for (const message of messages) {
    if (message.role !== 'system') leading = false;
    const converted = convert(message, leading || !LEADING_SYSTEM_ONLY.has(target.family), target);
    if (converted.role !== 'tool') showWaiting();
    const last = prompt.at(-1);
    if (converted.role === 'tool' && last?.role === 'tool') last.content.push(...converted.content);
    else prompt.push(converted);
    // No other message may come between the results of one turn.
    if (message.role === 'tool' && !target.hasToolImages) waiting.push(imagesOfResult(message, target));
  }
  showWaiting();
  return prompt;
}

function convert(message: Message, systemAllowed: boolean, target: PromptTarget): LanguageModelV4Message {
  // A lone surrogate makes providers reject the whole request.
  const text = message.content.toWellFormed();
  switch (message.role) {
    case 'system':
      if (systemAllowed) return { role: 'system', content: text };
      return { role: 'user', content: [{ type: 'text', text }] };
    case 'user':
      return {
        role: 'user',
        content: [{ type: 'text', text }, ...(message.attachments ?? []).map((each) => toPart(each, target))],
      };
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.toolCallId,
            toolName: message.toolName,
            output: toOutput(message, text, target),
          },
        ],
      };
    case 'assistant':
      return { role: 'assistant', content: assistantParts(message, text, target.stateKey) };
  }
}

type FileParts = (LanguageModelV4TextPart | LanguageModelV4FilePart)[];

function toPart(attachment: Attachment, { accepts }: PromptTarget): FileParts[number] {
  const { mediaType, data, name } = attachment;
  if (!accepts.includes(kindOf(attachment)))
    return { type: 'text', text: `${describeAttachment(attachment)} (not accepted by this model)` };
  return {
    type: 'file',
    mediaType,
    data: { type: 'data', data },
    ...(name !== undefined && { filename: name.toWellFormed() }),
  };
}

function toOutput(
  { attachments = [] }: ToolMessage,
  text: string,
  target: PromptTarget,
): LanguageModelV4ToolResultPart['output'] {
  if (!target.hasToolImages || !target.accepts.includes('image') || attachments.length === 0)
    return { type: 'text', value: text };
  return {
    type: 'content',
    value: [{ type: 'text', text }, ...attachments.map((each) => toPart(each, target))],
  };
}

/** The text of the result describes the images, so a model that does not accept them needs nothing else. */
function imagesOfResult({ attachments = [], toolName }: ToolMessage, target: PromptTarget): FileParts {
  if (attachments.length === 0 || !target.accepts.includes('image')) return [];
  const title = `System notice: the images in the response of ${toolName}:`;
  return [{ type: 'text', text: title }, ...attachments.map((each) => toPart(each, target))];
}

function assistantParts(
  message: AssistantMessage,
  text: string,
  stateKey: string,
): (LanguageModelV4Message & { role: 'assistant' })['content'] {
  const { state } = message;
  const own = state?.provider === stateKey ? (state.value as unknown as ReplayState) : undefined;
  const calls = (message.toolCalls ?? []).map((call): LanguageModelV4ToolCallPart => {
    const providerOptions = ownMember(own?.toolCalls, call.id);
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
