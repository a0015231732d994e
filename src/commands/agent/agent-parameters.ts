import * as z from '../../base/schema/schema.ts';
import type { OutputFormat } from '../../agent/session-config.ts';

const positive = () => z.int().check(z.gte(1));
const names = () => z.optional(z.array(z.string()));

// Written here again, and held against the part by the compiler: help is told without loading anything of the agent.
const FORMATS = [
  'markdown',
  'markdown+mermaid',
  'slack-block-kit',
  'tty',
  'pipe',
  'json',
  'sub-agent',
] as const satisfies readonly OutputFormat[];
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** What says which agent it is and what it may use. */
export const AGENT_PARAMETERS = {
  system: z.described(z.optional(z.string()), 'The system prompt: text, @file, or a .ai prompt file'),
  user: z.described(z.optional(z.string()), 'The task: text, @file, or - for standard input'),
  models: z.described(names(), 'provider/model, in the order in which they are tried'),
  tools: z.described(names(), 'Tool servers and REST tools of the configuration, or server__tool'),
  agents: z.described(names(), '.ai files of agents that may be called'),
  config: z.described(z.optional(z.string()), 'A configuration that stands above all others'),
  max_turns: z.described(z.optional(positive()), 'Turns at most (10)'),
  max_retries: z.described(z.optional(positive()), 'Attempts a turn at most, over all models (3)'),
  max_tool_calls_per_turn: z.described(z.optional(positive()), 'Tool calls a turn at most (10)'),
  tool_response_max_bytes: z.described(z.optional(positive()), 'A longer tool response is cut (12288)'),
  tool_timeout_ms: z.described(z.optional(positive()), 'How long a tool may take (300000)'),
  llm_timeout_ms: z.described(z.optional(positive()), 'How long a model may be silent (600000)'),
  max_cost_usd: z.described(z.optional(z.number().check(z.gt(0))), 'What it may cost'),
  max_total_tokens: z.described(z.optional(positive()), 'Tokens of all requests together at most'),
  max_duration_ms: z.described(z.optional(positive()), 'How long it may take'),
  context_window: z.described(z.optional(positive()), 'Tokens that the models can hold (131072)'),
  max_output_tokens: z.described(z.optional(positive()), 'Tokens of one answer at most (4096)'),
  temperature: z.described(z.optional(z.number().check(z.gte(0), z.lte(2))), 'Randomness'),
  top_p: z.described(z.optional(z.number().check(z.gte(0), z.lte(1))), 'Nucleus sampling'),
  top_k: z.described(z.optional(positive()), 'Sampling among the k likeliest tokens'),
  repeat_penalty: z.described(z.optional(z.number().check(z.gte(0))), 'Penalty on repetition'),
  reasoning: z.described(z.optional(z.enum(EFFORTS)), 'How hard a model should think'),
  report_format: z.described(z.optional(z.enum(FORMATS)), 'The form of the report (markdown)'),
  schema: z.described(z.optional(z.string()), 'JSON Schema of a JSON report: text or @file'),
  transport: z.described(
    z.optional(z.enum(['xml-final', 'native', 'xml'])),
    'How models call tools (xml-final)',
  ),
  stream: z.described(z.optional(z.boolean()), 'Whether answers are streamed from the provider (true)'),
  replay: z.described(
    z.optional(z.string()),
    'A recording or scenario that answers instead of the providers',
  ),
};

/** What is noted down about a run. */
export const RUN_PARAMETERS = {
  ...AGENT_PARAMETERS,
  verbose: z.described(z._default(z.boolean(), false), 'Tell of every request and decision'),
  trace_tools: z.described(z.optional(z.boolean()), 'Keep uncut tool responses in the log'),
  accounting: z.described(z.optional(z.string()), 'A file of JSON lines for what was used'),
  record: z.described(z.optional(z.string()), 'A new file for a recording that --replay plays again'),
};
