import type { Message } from '../conversation.ts';
import type { Target } from '../session-config.ts';
import type { ToolDefinition } from '../tool-host.ts';

/** Says what text will cost, rather too much than too little. */
export interface TokenEstimate {
  readonly text: (text: string) => number;
  readonly message: (message: Message) => number;
  readonly tools: (tools: readonly ToolDefinition[]) => number;
}

/** What every message costs besides its text. */
export const MESSAGE_TOKENS = 4;
const TOOL_CALL_TOKENS = 2;

/** Long runs of one character cost a tokenizer time that grows with their square; in pieces it stays linear. */
const PIECE_CHARACTERS = 4096;

/** Above this no tokenizer is asked, since it would take seconds; half the bytes is more than any prose has tokens. */
const TOKENIZED_BYTES = 2_000_000;

type Count = (text: string) => number;

/** Makes the estimate for a list of targets: the largest of what their tokenizers and the bytes say. */
export async function loadTokenEstimate(targets: readonly Target[]): Promise<TokenEstimate> {
  const names = new Set(targets.flatMap(({ tokenizer }) => tokenizer ?? []));
  const counts = await Promise.all([...names].map(loadTokenizer));
  const text: Count = (content) => {
    const bytes = Buffer.byteLength(content);
    if (bytes > TOKENIZED_BYTES) return Math.ceil(bytes / 2);
    return Math.max(Math.ceil(bytes / 4), ...counts.map((count) => countInPieces(content, count)));
  };
  // The same definitions go with every request of a session.
  const toolTokens = new WeakMap<ToolDefinition, number>();
  const countTool = (tool: ToolDefinition): number => {
    const known = toolTokens.get(tool);
    if (known !== undefined) return known;
    const tokens = text(tool.name + tool.description + JSON.stringify(tool.inputSchema)) + MESSAGE_TOKENS;
    toolTokens.set(tool, tokens);
    return tokens;
  };
  return {
    text,
    message: (message) => {
      if (message.role !== 'assistant') return text(message.content) + MESSAGE_TOKENS;
      const calls = message.toolCalls ?? [];
      const callTokens = calls.map((call) => text(call.name + call.arguments) + TOOL_CALL_TOKENS);
      return text(message.content + (message.reasoning ?? '')) + sum(callTokens) + MESSAGE_TOKENS;
    },
    tools: (tools) => sum(tools.map(countTool)),
  };
}

/** The tables of a tokenizer are megabytes of code, so they are loaded for sessions whose targets name them. */
async function loadTokenizer(name: NonNullable<Target['tokenizer']>): Promise<Count> {
  const { countTokens } =
    name === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  // Text from outside may spell a special token; it is text all the same.
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}

function countInPieces(text: string, count: Count): number {
  let tokens = 0;
  for (let start = 0; start < text.length; start += PIECE_CHARACTERS) {
    tokens += count(text.slice(start, start + PIECE_CHARACTERS));
  }
  return tokens;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
