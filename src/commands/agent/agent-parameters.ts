import * as v from 'valibot';
import { described, int, number, record } from '../../base/schema.ts';
import type { OutputFormat } from '../../agent/session-config.ts';
import { agentSessionId } from './session-ids.ts';

const positive = () => v.pipe(int(), v.minValue(1));
const names = () => v.optional(v.array(v.string()));

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

/** Parameters that continue a stored session. */
const STORED = {
  resume: agentSessionId(
    described(v.optional(v.string()), 'Continue this session; a prompt is its next task'),
  ),
  fork: agentSessionId(
    described(v.optional(v.string()), 'Continue a copy of this session; the session itself stays as it is'),
  ),
};

/** Parameters that define an agent, its models, tools and limits. */
export const AGENT_PARAMETERS = {
  system: described(
    v.optional(v.string()),
    'The system prompt: text, @file, a .ai prompt file, or - for standard input',
  ),
  user: described(v.optional(v.string()), 'The task: text, @file, or - for standard input'),
  attach: described(names(), 'Images, PDF documents and text files for the task: paths or URLs'),
  allow_private_urls: described(
    v.optional(v.boolean()),
    'Allow URLs in --attach whose address is not public',
  ),
  models: described(names(), 'Models as provider/model, tried in this order'),
  tools: described(names(), 'Configured tool servers and REST tools, or single tools as server__tool'),
  agents: described(names(), 'Prompt files (.ai) of sub-agents'),
  skills: described(names(), 'Folders of skills (SKILL.md) that the model can load'),
  agents_md: described(v.optional(v.boolean()), 'Add the AGENTS.md files of the tree to the system prompt'),
  config: described(v.optional(v.string()), 'Configuration file with the highest priority'),
  max_turns: described(v.optional(positive()), 'Maximum turns (10)'),
  max_retries: described(v.optional(positive()), 'Maximum attempts per turn, over all models (3)'),
  max_tool_calls_per_turn: described(v.optional(positive()), 'Maximum tool calls per turn (10)'),
  tool_response_max_bytes: described(
    v.optional(positive()),
    'Maximum bytes of a tool response; longer ones are truncated (12288)',
  ),
  tool_timeout_ms: described(v.optional(positive()), 'Timeout of a tool call (300000)'),
  llm_timeout_ms: described(v.optional(positive()), 'Maximum time without data from a model (600000)'),
  max_cost_usd: described(v.optional(v.pipe(number(), v.gtValue(0))), 'Maximum cost in US dollars'),
  max_total_tokens: described(v.optional(positive()), 'Maximum tokens of all requests together'),
  max_duration_ms: described(v.optional(positive()), 'Maximum duration of the session'),
  context_window: described(v.optional(positive()), 'Context window of the models in tokens (131072)'),
  max_output_tokens: described(v.optional(positive()), 'Maximum tokens of one response (4096)'),
  temperature: described(v.optional(v.pipe(number(), v.minValue(0), v.maxValue(2))), 'Sampling temperature'),
  top_p: described(v.optional(v.pipe(number(), v.minValue(0), v.maxValue(1))), 'Nucleus sampling'),
  top_k: described(v.optional(positive()), 'Sample from the k most likely tokens'),
  repeat_penalty: described(v.optional(v.pipe(number(), v.minValue(0))), 'Repetition penalty'),
  reasoning: described(v.optional(v.picklist(EFFORTS)), 'Reasoning effort'),
  report_format: described(v.optional(v.picklist(FORMATS)), 'Format of the report (markdown)'),
  schema: described(v.optional(v.string()), 'JSON Schema of a JSON report: text or @file'),
  transport: described(
    v.optional(v.picklist(['xml-final', 'native', 'xml'])),
    'How models call tools (xml-final)',
  ),
  stream: described(
    v.optional(v.boolean()),
    'Request streamed responses from the provider; does not change the output (true)',
  ),
  ...STORED,
  replay: described(v.optional(v.string()), 'Recording or scenario to replay instead of calling providers'),
};

/** Parameters of a run: the parameters of the agent, plus logging and recording. */
export const RUN_PARAMETERS = {
  ...AGENT_PARAMETERS,
  verbose: described(v.optional(v.boolean(), false), 'Log every request and decision'),
  trace_tools: described(v.optional(v.boolean()), 'Log untruncated tool responses'),
  accounting: described(
    v.optional(v.string()),
    'JSON Lines file for accounting entries, which are also added to the ledger',
  ),
  approve: described(names(), 'Calls of the resumed session that may run: the numbers in its report, or all'),
  deny: described(names(), 'Calls of the resumed session that are denied: the numbers in its report, or all'),
  answer: described(
    v.optional(record(record(v.unknown()))),
    'Answers to the questions of calls of the resumed session, as JSON: {"0": {"field": "value"}}',
  ),
  events: described(v.optional(v.string()), 'File or open descriptor to write events to, as JSON Lines'),
  record: described(v.optional(v.string()), 'File to write a recording to, for --replay'),
};
