import { chunksOf } from '../../base/chunks-of.ts';
import { attachmentTokens } from '../attachments/attachment-kinds.ts';
import type { Message } from '../conversation.ts';
import type { Target } from '../session-config.ts';
import type { ToolDefinition } from '../tool-host.ts';

/** Estimates tokens; it overestimates rather than underestimates. */
export interface TokenEstimate {
  readonly text: (text: string) => number;
  readonly message: (message: Message) => number;
  readonly messages: (messages: readonly Message[]) => number;
  readonly tools: (tools: readonly ToolDefinition[]) => number;
}

/** Overhead per message in addition to its text. */
export const MESSAGE_TOKENS = 4;
const TOOL_CALL_TOKENS = 2;

/** Tokenizers take quadratic time for long runs of one character; counting in pieces keeps it linear. */
const PIECE_CHARACTERS = 4096;

/** Larger text is not tokenized, because that would take seconds; half the bytes is above the token count of any prose. */
const TOKENIZED_BYTES = 2_000_000;

type Count = (text: string) => number;

/** Creates the estimate for targets: the maximum of their tokenizers and the byte estimate. */
export async function loadTokenEstimate(targets: readonly Target[]): Promise<TokenEstimate> {
  const names = new Set(targets.flatMap(({ tokenizer }) => tokenizer ?? []));
  const counts = await Promise.all([...names].map(loadTokenizer));
  const text: Count = (content) => {
    const bytes = Buffer.byteLength(content);
    if (bytes > TOKENIZED_BYTES) return Math.ceil(bytes / 2);
    return Math.max(Math.ceil(bytes / 4), ...counts.map((count) => countInPieces(content, count)));
  };
  // Cached, because every request of a session contains the same definitions.
  const toolTokens = new WeakMap<ToolDefinition, number>();
  const countTool = (tool: ToolDefinition): number => {
    const known = toolTokens.get(tool);
    if (known !== undefined) return known;
    const tokens = text(tool.name + tool.description + JSON.stringify(tool.inputSchema)) + MESSAGE_TOKENS;
    toolTokens.set(tool, tokens);
    return tokens;
  };
  const countMessage = (message: Message): number => {
    if (message.role === 'system') return text(message.content) + MESSAGE_TOKENS;
    if (message.role !== 'assistant')
      return text(message.content) + attachmentTokens(message.attachments) + MESSAGE_TOKENS;
    const calls = message.toolCalls ?? [];
    const callTokens = calls.map((call) => text(call.name + call.arguments) + TOOL_CALL_TOKENS);
    return text(message.content + (message.reasoning ?? '')) + sum(callTokens) + MESSAGE_TOKENS;
  };
  return {
    text,
    message: countMessage,
    messages: (messages) => sum(messages.map(countMessage)),
    tools: (tools) => sum(tools.map(countTool)),
  };
}

/** Loads a tokenizer on demand, because its tables are megabytes of code. */
async function loadTokenizer(name: NonNullable<Target['tokenizer']>): Promise<Count> {
  const { countTokens } =
    name === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  // Untrusted text may contain special tokens; count them as text.
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}

function countInPieces(text: string, count: Count): number {
  return sum(chunksOf(text, PIECE_CHARACTERS).map(count));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
