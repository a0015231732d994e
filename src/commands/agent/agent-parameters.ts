import * as z from 'zod/mini';
import type { OutputFormat } from '../../agent/session-config.ts';
import { described } from '../../contract/command.ts';

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
  system: described(z.optional(z.string()), 'The system prompt: text, @file, or a .ai prompt file'),
  user: described(z.optional(z.string()), 'The task: text, @file, or - for standard input'),
  models: described(names(), 'provider/model, in the order in which they are tried'),
  tools: described(names(), 'Tool servers and REST tools of the configuration, or server__tool'),
  agents: described(names(), '.ai files of agents that may be called'),
  config: described(z.optional(z.string()), 'A configuration that stands above all others'),
  max_turns: described(z.optional(positive()), 'Turns at most (10)'),
  max_retries: described(z.optional(positive()), 'Attempts a turn at most, over all models (3)'),
  max_tool_calls_per_turn: described(z.optional(positive()), 'Tool calls a turn at most (10)'),
  tool_response_max_bytes: described(z.optional(positive()), 'A longer tool response is cut (12288)'),
  tool_timeout_ms: described(z.optional(positive()), 'How long a tool may take (300000)'),
  llm_timeout_ms: described(z.optional(positive()), 'How long a model may be silent (600000)'),
  max_cost_usd: described(z.optional(z.number().check(z.gt(0))), 'What it may cost'),
  max_total_tokens: described(z.optional(positive()), 'Tokens of all requests together at most'),
  max_duration_ms: described(z.optional(positive()), 'How long it may take'),
  context_window: described(z.optional(positive()), 'Tokens that the models can hold (131072)'),
  max_output_tokens: described(z.optional(positive()), 'Tokens of one answer at most (4096)'),
  temperature: described(z.optional(z.number().check(z.gte(0), z.lte(2))), 'Randomness'),
  top_p: described(z.optional(z.number().check(z.gte(0), z.lte(1))), 'Nucleus sampling'),
  top_k: described(z.optional(positive()), 'Sampling among the k likeliest tokens'),
  repeat_penalty: described(z.optional(z.number().check(z.gte(0))), 'Penalty on repetition'),
  reasoning: described(z.optional(z.enum(EFFORTS)), 'How hard a model should think'),
  report_format: described(z.optional(z.enum(FORMATS)), 'The form of the report (markdown)'),
  schema: described(z.optional(z.string()), 'JSON Schema of a JSON report: text or @file'),
  transport: described(
    z.optional(z.enum(['xml-final', 'native', 'xml'])),
    'How models call tools (xml-final)',
  ),
  stream: described(z.optional(z.boolean()), 'Whether answers are streamed from the provider (true)'),
  replay: described(z.optional(z.string()), 'A recording or scenario that answers instead of the providers'),
};

/** What is noted down about a run. */
export const RUN_PARAMETERS = {
  ...AGENT_PARAMETERS,
  verbose: described(z._default(z.boolean(), false), 'Tell of every request and decision'),
  trace_tools: described(z.optional(z.boolean()), 'Keep uncut tool responses in the log'),
  accounting: described(z.optional(z.string()), 'A file of JSON lines for what was used'),
  record: described(z.optional(z.string()), 'A new file for a recording that --replay plays again'),
};
