import type {
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4ReasoningPart,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { JsonValue } from '../../base/json.ts';
import type { ProviderState, ToolCall } from '../conversation.ts';
import type { LlmDelta, LlmResponse, LlmUsage } from '../llm-port.ts';

/** A response that ended early: the connection was closed cleanly before the response was complete. */
export class IncompleteResponseError extends Error {
  constructor() {
    super('the response ended before it was complete');
    this.name = 'IncompleteResponseError';
  }
}

interface PartialResponse {
  text: string;
  readonly reasoning: LanguageModelV4ReasoningPart[];
  readonly toolCalls: ToolCall[];
  readonly toolCallMetadata: Map<string, SharedV4ProviderMetadata>;
  finish: LanguageModelV4FinishReason | undefined;
  usage: LanguageModelV4Usage | undefined;
  metadata: SharedV4ProviderMetadata | undefined;
  modelId: string | undefined;
}

/** Converts a complete response. */
export function readResponse(result: LanguageModelV4GenerateResult, stateKey: string): LlmResponse {
  const partial = emptyResponse();
  for (const part of result.content) {
    if (part.type === 'text') partial.text += part.text;
    else if (part.type === 'reasoning')
      partial.reasoning.push(reasoningPart(part.text, part.providerMetadata));
    else if (part.type === 'tool-call') addToolCall(partial, part);
  }
  partial.finish = result.finishReason;
  partial.usage = result.usage;
  partial.metadata = result.providerMetadata;
  partial.modelId = result.response?.modelId;
  return toResponse(partial, stateKey);
}

/** Reads a streamed response. Throws an error that the stream reports. `isMarked`: the provider sent the marker that ends its streams. */
export async function readResponseStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  stateKey: string,
  onDelta: (delta: LlmDelta) => void,
  isMarked: () => boolean,
): Promise<LlmResponse> {
  const partial = emptyResponse();
  const open = new Map<string, number>();
  let missingReason: unknown;
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta':
        partial.text += part.delta;
        onDelta({ type: 'text', text: part.delta });
        break;
      case 'reasoning-start':
        open.set(part.id, partial.reasoning.push(reasoningPart('', part.providerMetadata)) - 1);
        break;
      case 'reasoning-delta':
      case 'reasoning-end':
        extendReasoning(partial, open.get(part.id), part);
        if (part.type === 'reasoning-delta') onDelta({ type: 'reasoning', text: part.delta });
        break;
      case 'tool-call':
        addToolCall(partial, part);
        onDelta({ type: 'alive' });
        break;
      case 'tool-input-delta':
        onDelta({ type: 'other', text: part.delta });
        break;
      case 'response-metadata':
        partial.modelId = part.modelId ?? partial.modelId;
        break;
      case 'finish':
        partial.finish = part.finishReason;
        partial.usage = part.usage;
        partial.metadata = part.providerMetadata;
        break;
      case 'error':
        if (!isMissingReason(part.error)) throw part.error;
        missingReason = part.error;
        break;
      default:
        onDelta({ type: 'alive' });
    }
  }
  if (isWithoutReason(partial)) {
    if (!isCompleteStream(partial, isMarked())) throw missingReason ?? new IncompleteResponseError();
    return { ...toResponse({ ...partial, finish: undefined }, stateKey), warnings: [NO_FINISH_REASON] };
  }
  return toResponse(partial, stateKey);
}

const NO_FINISH_REASON = 'The response has no finish reason; it is accepted because the stream is complete.';

/** Returns whether the provider sent no finish reason; the SDK then sets one itself. */
function isWithoutReason({ finish }: PartialResponse): boolean {
  if (finish === undefined || finish.unified === 'interrupted') return true;
  return finish.raw === undefined && (finish.unified === 'other' || finish.unified === 'error');
}

/** Returns whether an error of the SDK for compatible providers means that only the finish reason is missing. */
function isMissingReason(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'AI_InvalidResponseDataError' &&
    (error as { readonly data?: unknown }).data === undefined
  );
}

/** Returns whether a stream without a finish reason is complete: it ended with the end marker of its API, or with the usage. */
function isCompleteStream(
  { finish, text, toolCalls, reasoning, usage }: PartialResponse,
  isMarked: boolean,
): boolean {
  if (text === '' && toolCalls.length === 0 && reasoning.length === 0) return false;
  // The families that report an interruption send usage before the end.
  return isMarked || (finish?.unified !== 'interrupted' && usage?.outputTokens.total !== undefined);
}

function emptyResponse(): PartialResponse {
  return {
    text: '',
    reasoning: [],
    toolCalls: [],
    toolCallMetadata: new Map(),
    finish: undefined,
    usage: undefined,
    metadata: undefined,
    modelId: undefined,
  };
}

function addToolCall(
  partial: PartialResponse,
  part: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: string;
    readonly providerMetadata?: SharedV4ProviderMetadata;
  },
): void {
  partial.toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
  if (part.providerMetadata !== undefined)
    partial.toolCallMetadata.set(part.toolCallId, part.providerMetadata);
}

function reasoningPart(
  text: string,
  metadata: SharedV4ProviderMetadata | undefined,
): LanguageModelV4ReasoningPart {
  return { type: 'reasoning', text, ...(metadata && { providerOptions: metadata }) };
}

function extendReasoning(
  partial: PartialResponse,
  index: number | undefined,
  part: { readonly delta?: string; readonly providerMetadata?: SharedV4ProviderMetadata },
): void {
  const current = index === undefined ? undefined : partial.reasoning[index];
  if (current === undefined) return;
  current.text += part.delta ?? '';
  if (part.providerMetadata !== undefined) current.providerOptions = part.providerMetadata;
}

function toResponse(partial: PartialResponse, stateKey: string): LlmResponse {
  const { finish, metadata, modelId } = partial;
  const usage = partial.usage && toUsage(partial.usage);
  const openrouter = metadata?.openrouter as
    | { readonly provider?: string; readonly usage?: { readonly cost?: number } }
    | undefined;
  const cost = openrouter?.usage?.cost;
  const state = replayState(partial, stateKey);
  return {
    ok: true,
    text: partial.text,
    reasoning: partial.reasoning.map(({ text }) => text).join('\n'),
    toolCalls: partial.toolCalls,
    stopReason: finish?.raw ?? (finish?.unified === 'other' ? undefined : finish?.unified),
    usage,
    ...(openrouter?.provider && { actualProvider: openrouter.provider }),
    ...(modelId !== undefined && { actualModel: modelId }),
    ...(typeof cost === 'number' && { costUsd: cost }),
    ...(state && { state }),
  };
}

function replayState(
  { reasoning, toolCallMetadata }: PartialResponse,
  stateKey: string,
): ProviderState | undefined {
  if (reasoning.length === 0 && toolCallMetadata.size === 0) return undefined;
  return {
    provider: stateKey,
    value: { reasoning, toolCalls: Object.fromEntries(toolCallMetadata) } as unknown as JsonValue,
  };
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): LlmUsage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  const cacheReadTokens = inputTokens.cacheRead ?? 0;
  return {
    inputTokens: Math.max(0, (inputTokens.total ?? 0) - cacheReadTokens),
    outputTokens: outputTokens.total ?? 0,
    cacheReadTokens,
    ...(inputTokens.cacheWrite !== undefined && { cacheWriteTokens: inputTokens.cacheWrite }),
    ...(outputTokens.reasoning !== undefined && { reasoningTokens: outputTokens.reasoning }),
  };
}
