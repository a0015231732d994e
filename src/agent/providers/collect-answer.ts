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

/** An answer that broke off: the connection was closed in good order, but before the end. */
export class BrokenOffError extends Error {
  constructor() {
    super('the answer broke off before its end');
    this.name = 'BrokenOffError';
  }
}

interface Gathered {
  text: string;
  readonly reasoning: LanguageModelV4ReasoningPart[];
  readonly toolCalls: ToolCall[];
  readonly marks: Record<string, SharedV4ProviderMetadata>;
  finish: LanguageModelV4FinishReason | undefined;
  usage: LanguageModelV4Usage | undefined;
  metadata: SharedV4ProviderMetadata | undefined;
  modelId: string | undefined;
}

/** Reads an answer that came whole. */
export function readAnswer(result: LanguageModelV4GenerateResult, stateKey: string): LlmResponse {
  const gathered = nothing();
  for (const part of result.content) {
    if (part.type === 'text') gathered.text += part.text;
    else if (part.type === 'reasoning')
      gathered.reasoning.push(reasoningPart(part.text, part.providerMetadata));
    else if (part.type === 'tool-call') addToolCall(gathered, part);
  }
  gathered.finish = result.finishReason;
  gathered.usage = result.usage;
  gathered.metadata = result.providerMetadata;
  gathered.modelId = result.response?.modelId;
  return toResponse(gathered, stateKey);
}

/** Reads an answer as it comes. Throws what the stream tells as an error. */
export async function readAnswerStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  stateKey: string,
  onDelta: (delta: LlmDelta) => void,
): Promise<LlmResponse> {
  const gathered = nothing();
  const open = new Map<string, number>();
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta':
        gathered.text += part.delta;
        onDelta({ type: 'text', text: part.delta });
        break;
      case 'reasoning-start':
        open.set(part.id, gathered.reasoning.push(reasoningPart('', part.providerMetadata)) - 1);
        break;
      case 'reasoning-delta':
      case 'reasoning-end':
        extendReasoning(gathered, open.get(part.id), part);
        if (part.type === 'reasoning-delta') onDelta({ type: 'reasoning', text: part.delta });
        break;
      case 'tool-call':
        addToolCall(gathered, part);
        onDelta({ type: 'alive' });
        break;
      case 'response-metadata':
        gathered.modelId = part.modelId ?? gathered.modelId;
        break;
      case 'finish':
        gathered.finish = part.finishReason;
        gathered.usage = part.usage;
        gathered.metadata = part.providerMetadata;
        break;
      case 'error':
        throw part.error;
      default:
        onDelta({ type: 'alive' });
    }
  }
  if (isBrokenOff(gathered)) throw new BrokenOffError();
  return toResponse(gathered, stateKey);
}

/** A library closes a stream that merely stopped with a reason of its own making; neither reason nor usage came from the provider. */
function isBrokenOff({ finish, usage }: Gathered): boolean {
  if (finish === undefined || finish.unified === 'interrupted') return true;
  return finish.raw === undefined && finish.unified === 'other' && usage?.outputTokens.total === undefined;
}

function nothing(): Gathered {
  return {
    text: '',
    reasoning: [],
    toolCalls: [],
    marks: {},
    finish: undefined,
    usage: undefined,
    metadata: undefined,
    modelId: undefined,
  };
}

function addToolCall(
  gathered: Gathered,
  part: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: string;
    readonly providerMetadata?: SharedV4ProviderMetadata;
  },
): void {
  gathered.toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
  if (part.providerMetadata !== undefined) gathered.marks[part.toolCallId] = part.providerMetadata;
}

function reasoningPart(
  text: string,
  metadata: SharedV4ProviderMetadata | undefined,
): LanguageModelV4ReasoningPart {
  return { type: 'reasoning', text, ...(metadata && { providerOptions: metadata }) };
}

function extendReasoning(
  gathered: Gathered,
  index: number | undefined,
  part: { readonly delta?: string; readonly providerMetadata?: SharedV4ProviderMetadata },
): void {
  const current = index === undefined ? undefined : gathered.reasoning[index];
  if (current === undefined) return;
  current.text += part.delta ?? '';
  if (part.providerMetadata !== undefined) current.providerOptions = part.providerMetadata;
}

function toResponse(gathered: Gathered, stateKey: string): LlmResponse {
  const { finish, metadata, modelId } = gathered;
  const usage = gathered.usage && toUsage(gathered.usage);
  const openrouter = metadata?.openrouter as
    | { readonly provider?: string; readonly usage?: { readonly cost?: number } }
    | undefined;
  const cost = openrouter?.usage?.cost;
  const state = replayState(gathered, stateKey);
  return {
    ok: true,
    text: gathered.text,
    reasoning: gathered.reasoning.map(({ text }) => text).join('\n'),
    toolCalls: gathered.toolCalls,
    stopReason: finish?.raw ?? (finish?.unified === 'other' ? undefined : finish?.unified),
    usage,
    ...(openrouter?.provider && { actualProvider: openrouter.provider }),
    ...(modelId !== undefined && { actualModel: modelId }),
    ...(typeof cost === 'number' && { costUsd: cost }),
    ...(state && { state }),
  };
}

function replayState({ reasoning, marks }: Gathered, stateKey: string): ProviderState | undefined {
  if (reasoning.length === 0 && Object.keys(marks).length === 0) return undefined;
  return { provider: stateKey, value: { reasoning, toolCalls: marks } as unknown as JsonValue };
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
