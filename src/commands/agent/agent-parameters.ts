import * as z from '../../base/schema/schema.ts';
import type { OutputFormat } from '../../agent/session-config.ts';

const positive = () => z.int().check(z.gte(1));
const names = () => z.optional(z.array(z.string()));

// Repeated here so that help does not load the agent; `satisfies` keeps it consistent with the agent's type.
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

/** Parameters that define an agent, its models, tools and limits. */
export const AGENT_PARAMETERS = {
  system: z.described(z.optional(z.string()), 'The system prompt: text, @file, or a .ai prompt file'),
  user: z.described(z.optional(z.string()), 'The task: text, @file, or - for standard input'),
  models: z.described(names(), 'Models as provider/model, tried in this order'),
  tools: z.described(names(), 'Configured tool servers and REST tools, or single tools as server__tool'),
  agents: z.described(names(), 'Prompt files (.ai) of sub-agents'),
  config: z.described(z.optional(z.string()), 'Configuration file with the highest priority'),
  max_turns: z.described(z.optional(positive()), 'Maximum turns (10)'),
  max_retries: z.described(z.optional(positive()), 'Maximum attempts per turn, over all models (3)'),
  max_tool_calls_per_turn: z.described(z.optional(positive()), 'Maximum tool calls per turn (10)'),
  tool_response_max_bytes: z.described(
    z.optional(positive()),
    'Maximum bytes of a tool response; longer ones are truncated (12288)',
  ),
  tool_timeout_ms: z.described(z.optional(positive()), 'Timeout of a tool call (300000)'),
  llm_timeout_ms: z.described(z.optional(positive()), 'Maximum time without data from a model (600000)'),
  max_cost_usd: z.described(z.optional(z.number().check(z.gt(0))), 'Maximum cost in US dollars'),
  max_total_tokens: z.described(z.optional(positive()), 'Maximum tokens of all requests together'),
  max_duration_ms: z.described(z.optional(positive()), 'Maximum duration of the session'),
  context_window: z.described(z.optional(positive()), 'Context window of the models in tokens (131072)'),
  max_output_tokens: z.described(z.optional(positive()), 'Maximum tokens of one response (4096)'),
  temperature: z.described(z.optional(z.number().check(z.gte(0), z.lte(2))), 'Sampling temperature'),
  top_p: z.described(z.optional(z.number().check(z.gte(0), z.lte(1))), 'Nucleus sampling'),
  top_k: z.described(z.optional(positive()), 'Sample from the k most likely tokens'),
  repeat_penalty: z.described(z.optional(z.number().check(z.gte(0))), 'Repetition penalty'),
  reasoning: z.described(z.optional(z.enum(EFFORTS)), 'Reasoning effort'),
  report_format: z.described(z.optional(z.enum(FORMATS)), 'Format of the report (markdown)'),
  schema: z.described(z.optional(z.string()), 'JSON Schema of a JSON report: text or @file'),
  transport: z.described(
    z.optional(z.enum(['xml-final', 'native', 'xml'])),
    'How models call tools (xml-final)',
  ),
  stream: z.described(z.optional(z.boolean()), 'Stream responses from the provider (true)'),
  replay: z.described(z.optional(z.string()), 'Recording or scenario to replay instead of calling providers'),
};

/** Parameters of a run: those of the agent, plus logging and recording. */
export const RUN_PARAMETERS = {
  ...AGENT_PARAMETERS,
  verbose: z.described(z._default(z.boolean(), false), 'Log every request and decision'),
  trace_tools: z.described(z.optional(z.boolean()), 'Log untruncated tool responses'),
  accounting: z.described(z.optional(z.string()), 'JSON Lines file for accounting entries'),
  record: z.described(z.optional(z.string()), 'File to write a recording to, for --replay'),
};
