import * as v from 'valibot';
import { int, number, record, strictObject } from '../../base/schema.ts';
import { OUTPUT_FORMATS, TRANSPORTS } from '../session-config.ts';
import { ATTACHMENT_KINDS } from '../attachments/attachment-kinds.ts';
import { APPROVAL_RULE } from '../approval/approval-rule.ts';
import { REPORT_GUARD } from '../guards/report-guard.ts';
import { PARAMETER_FIELDS } from './parameter-schema.ts';

const positive = () => v.pipe(int(), v.minValue(1));
/** The runtime fires longer timers immediately. */
const timer = () => v.pipe(int(), v.minValue(1), v.maxValue(2 ** 31 - 1));
const text = () => v.pipe(v.string(), v.minLength(1));
const textMap = () => record(v.string());

const pricing = strictObject({
  input: v.pipe(number(), v.minValue(0)),
  output: v.pipe(number(), v.minValue(0)),
  cacheRead: v.optional(v.pipe(number(), v.minValue(0))),
  cacheWrite: v.optional(v.pipe(number(), v.minValue(0))),
});

const contextFields = {
  contextWindow: v.optional(positive()),
  contextWindowBufferTokens: v.optional(v.pipe(int(), v.minValue(0))),
  tokenizer: v.optional(v.picklist(['o200k_base', 'cl100k_base'])),
};

/** What a model accepts besides text. */
const acceptedKinds = { accepts: v.optional(v.array(v.picklist(ATTACHMENT_KINDS))) };

const model = strictObject({
  ...contextFields,
  ...acceptedKinds,
  ...PARAMETER_FIELDS,
  pricing: v.optional(pricing),
});

export const PROVIDER_TYPES = [
  'openai',
  'anthropic',
  'google',
  'openrouter',
  'ollama',
  'openai-compatible',
  'script',
] as const;

const provider = strictObject({
  type: v.optional(v.picklist(PROVIDER_TYPES)),
  apiKey: v.optional(v.string()),
  baseUrl: v.optional(v.string()),
  headers: v.optional(textMap()),
  /** Which OpenAI API to use. */
  mode: v.optional(v.picklist(['chat', 'responses'])),
  /** Allows sending the API key of this layer to a base URL set by another layer. */
  allowForeignBaseUrl: v.optional(v.boolean()),
  /** The scenario or recording that a `script` provider replays. */
  file: v.optional(text()),
  models: v.optional(record(model)),
  ...contextFields,
  ...acceptedKinds,
  ...PARAMETER_FIELDS,
});

const mcpServer = strictObject({
  type: v.optional(v.picklist(['stdio', 'http', 'streamable-http', 'sse'])),
  command: v.optional(text()),
  args: v.optional(v.array(v.string())),
  env: v.optional(textMap()),
  cwd: v.optional(text()),
  url: v.optional(v.string()),
  headers: v.optional(textMap()),
  /** A client that is registered at the authorization server; without it one is registered at sign-in. */
  oauth: v.optional(
    strictObject({
      clientId: v.optional(text()),
      clientSecret: v.optional(text()),
      scope: v.optional(text()),
      callbackPort: v.optional(v.pipe(int(), v.minValue(1), v.maxValue(65_535))),
    }),
  ),
  enabled: v.optional(v.boolean()),
  toolsAllowed: v.optional(v.array(v.string())),
  toolsDenied: v.optional(v.array(v.string())),
  queue: v.optional(text()),
  /** Share one server between all sessions of the process; default true. */
  shared: v.optional(v.boolean()),
  startTimeoutMs: v.optional(timer()),
  toolTimeoutMs: v.optional(timer()),
  toolResponseMaxBytes: v.optional(positive()),
  healthProbe: v.optional(v.picklist(['ping', 'list-tools', 'none'])),
  /** Whether a call may ask the user a question; default deny. */
  elicitation: v.optional(v.picklist(['ask', 'deny'])),
  /** Whether a call may send requests to the model of the session; default deny. */
  sampling: v.optional(v.picklist(['allow', 'deny'])),
  /** Offers its resources or prompts as tools; default false. */
  resources: v.optional(v.boolean()),
  prompts: v.optional(v.boolean()),
});

const restTool = strictObject({
  description: v.string(),
  method: v.optional(v.picklist(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']), 'GET'),
  url: text(),
  headers: v.optional(textMap()),
  parametersSchema: v.optional(record(v.unknown())),
  bodyTemplate: v.optional(v.unknown()),
  queue: v.optional(text()),
  timeoutMs: v.optional(timer()),
  toolResponseMaxBytes: v.optional(positive()),
});

/** Session settings that apply when neither the command line nor the prompt file sets them. */
export const DEFAULTS_FIELDS = {
  models: v.optional(v.array(text())),
  tools: v.optional(v.array(text())),
  maxTurns: v.optional(positive()),
  maxRetries: v.optional(positive()),
  maxToolCallsPerTurn: v.optional(positive()),
  toolTimeoutMs: v.optional(positive()),
  toolTimeout: v.optional(positive()),
  llmTimeoutMs: v.optional(positive()),
  llmTimeout: v.optional(positive()),
  toolResponseMaxBytes: v.optional(positive()),
  maxCostUsd: v.optional(v.pipe(number(), v.gtValue(0))),
  maxTotalTokens: v.optional(positive()),
  maxDurationMs: v.optional(positive()),
  toolingTransport: v.optional(v.picklist(TRANSPORTS)),
  format: v.optional(v.picklist(OUTPUT_FORMATS)),
  stream: v.optional(v.boolean()),
  traceTools: v.optional(v.boolean()),
  progressReports: v.optional(v.boolean()),
  batch: v.optional(v.boolean()),
  approval: v.optional(v.array(APPROVAL_RULE)),
  guards: v.optional(v.array(REPORT_GUARD)),
  compaction: v.optional(
    strictObject({
      atShare: v.optional(v.pipe(number(), v.minValue(0.1), v.maxValue(0.95)), 0.7),
      keepTurns: v.optional(positive(), 2),
    }),
  ),
  ...contextFields,
  ...PARAMETER_FIELDS,
};

/** One configuration file. Strict: an unknown key is an error. */
export const CONFIG_SCHEMA = strictObject({
  $schema: v.optional(v.string()),
  providers: v.optional(record(provider)),
  mcpServers: v.optional(record(mcpServer)),
  restTools: v.optional(record(restTool)),
  queues: v.optional(record(strictObject({ concurrent: positive() }))),
  defaults: v.optional(strictObject(DEFAULTS_FIELDS)),
  pricing: v.optional(record(record(pricing))),
  accounting: v.optional(strictObject({ file: text() })),
  /** `strict` makes ai-agent ignore untrusted configuration instead of warning; read from the home configuration only. */
  trust: v.optional(v.picklist(['strict', 'warn'])),
});

export type AgentConfigFile = v.InferOutput<typeof CONFIG_SCHEMA>;
export type ProviderSettings = v.InferOutput<typeof provider>;
export type McpServerSettings = v.InferOutput<typeof mcpServer>;
export type RestToolSettings = v.InferOutput<typeof restTool>;
export type DefaultSettings = NonNullable<AgentConfigFile['defaults']>;
