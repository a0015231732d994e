import * as z from 'zod/mini';
import { OUTPUT_FORMATS, TRANSPORTS } from '../session-config.ts';
import { PARAMETER_FIELDS } from './parameter-schema.ts';

const positive = () => z.int().check(z.gte(1));
const text = () => z.string().check(z.minLength(1));
const textMap = () => z.record(z.string(), z.string());

const pricing = z.strictObject({
  input: z.number().check(z.gte(0)),
  output: z.number().check(z.gte(0)),
  cacheRead: z.optional(z.number().check(z.gte(0))),
  cacheWrite: z.optional(z.number().check(z.gte(0))),
});

const contextFields = {
  contextWindow: z.optional(positive()),
  contextWindowBufferTokens: z.optional(z.int().check(z.gte(0))),
  tokenizer: z.optional(z.enum(['o200k_base', 'cl100k_base'])),
};

const model = z.strictObject({ ...contextFields, ...PARAMETER_FIELDS, pricing: z.optional(pricing) });

export const PROVIDER_TYPES = [
  'openai',
  'anthropic',
  'google',
  'openrouter',
  'ollama',
  'openai-compatible',
  'script',
] as const;

const provider = z.strictObject({
  type: z.optional(z.enum(PROVIDER_TYPES)),
  apiKey: z.optional(z.string()),
  baseUrl: z.optional(z.string()),
  headers: z.optional(textMap()),
  /** Which OpenAI API to use. */
  mode: z.optional(z.enum(['chat', 'responses'])),
  /** Allows sending the API key of this layer to a base URL set by another layer. */
  allowForeignBaseUrl: z.optional(z.boolean()),
  /** The scenario or recording that a `script` provider replays. */
  file: z.optional(text()),
  models: z.optional(z.record(z.string(), model)),
  ...contextFields,
  ...PARAMETER_FIELDS,
});

const mcpServer = z.strictObject({
  type: z.optional(z.enum(['stdio', 'http', 'streamable-http', 'sse'])),
  command: z.optional(text()),
  args: z.optional(z.array(z.string())),
  env: z.optional(textMap()),
  cwd: z.optional(text()),
  url: z.optional(z.string()),
  headers: z.optional(textMap()),
  enabled: z.optional(z.boolean()),
  toolsAllowed: z.optional(z.array(z.string())),
  toolsDenied: z.optional(z.array(z.string())),
  queue: z.optional(text()),
  /** Share one server between all sessions of the process; default true. */
  shared: z.optional(z.boolean()),
  startTimeoutMs: z.optional(positive()),
  toolTimeoutMs: z.optional(positive()),
  toolResponseMaxBytes: z.optional(positive()),
  healthProbe: z.optional(z.enum(['ping', 'list-tools', 'none'])),
});

const restTool = z.strictObject({
  description: z.string(),
  method: z._default(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']), 'GET'),
  url: text(),
  headers: z.optional(textMap()),
  parametersSchema: z.optional(z.record(z.string(), z.unknown())),
  bodyTemplate: z.optional(z.unknown()),
  queue: z.optional(text()),
  timeoutMs: z.optional(positive()),
  toolResponseMaxBytes: z.optional(positive()),
});

/** Session settings that apply when neither the command line nor the prompt file sets them. */
export const DEFAULTS_FIELDS = {
  models: z.optional(z.array(text())),
  tools: z.optional(z.array(text())),
  maxTurns: z.optional(positive()),
  maxRetries: z.optional(positive()),
  maxToolCallsPerTurn: z.optional(positive()),
  toolTimeoutMs: z.optional(positive()),
  toolTimeout: z.optional(positive()),
  llmTimeoutMs: z.optional(positive()),
  llmTimeout: z.optional(positive()),
  toolResponseMaxBytes: z.optional(positive()),
  maxCostUsd: z.optional(z.number().check(z.gt(0))),
  maxTotalTokens: z.optional(positive()),
  maxDurationMs: z.optional(positive()),
  toolingTransport: z.optional(z.enum(TRANSPORTS)),
  format: z.optional(z.enum(OUTPUT_FORMATS)),
  stream: z.optional(z.boolean()),
  traceTools: z.optional(z.boolean()),
  progressReports: z.optional(z.boolean()),
  batch: z.optional(z.boolean()),
  ...contextFields,
  ...PARAMETER_FIELDS,
};

/** One configuration file. Strict: an unknown key is an error. */
export const CONFIG_SCHEMA = z.strictObject({
  $schema: z.optional(z.string()),
  providers: z.optional(z.record(z.string(), provider)),
  mcpServers: z.optional(z.record(z.string(), mcpServer)),
  restTools: z.optional(z.record(z.string(), restTool)),
  queues: z.optional(z.record(z.string(), z.strictObject({ concurrent: positive() }))),
  defaults: z.optional(z.strictObject(DEFAULTS_FIELDS)),
  pricing: z.optional(z.record(z.string(), z.record(z.string(), pricing))),
  accounting: z.optional(z.strictObject({ file: text() })),
  /** `strict` makes ai-agent ignore untrusted configuration instead of warning; read from the home configuration only. */
  trust: z.optional(z.enum(['strict', 'warn'])),
});

export type AgentConfigFile = z.output<typeof CONFIG_SCHEMA>;
export type ProviderSettings = z.output<typeof provider>;
export type McpServerSettings = z.output<typeof mcpServer>;
export type RestToolSettings = z.output<typeof restTool>;
export type DefaultSettings = NonNullable<AgentConfigFile['defaults']>;
