/**
 * Descriptions of the fields of agent files, by path or by name; `<name>` stands for any name. A field without a description fails the
 * generator.
 */
export const AGENT_CONFIG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  $schema: 'The JSON Schema of this file, for editors; ignored otherwise',
  providers: 'Providers by name; if the name is a provider type, `type` is optional',
  mcpServers: 'Tool servers by name. Models see their tools as `<server>__<tool>`',
  restTools:
    'Tools that send one HTTP request, by name. Models see them as `rest__<name>`, which rules of `approval` use too',
  queues: 'The number of concurrent calls per queue, across all sessions of the process',
  defaults: 'Settings of every session; the prompt file and the command line override them',
  pricing:
    'US dollars per million tokens, by provider and model. Needed for `maxCostUsd` where the provider does not report the cost and the price is not published',
  accounting: 'Where usage is recorded',
  trust:
    '`strict` makes `ai-agent` reject untrusted folder configuration instead of printing a warning; home configuration only',
  type: 'The type of provider, or the transport of a tool server',
  apiKey:
    'The API key; `${VARIABLE}` reads it from the environment or from the `.env` file next to this file',
  baseUrl: 'The base URL, if it is not the default of the provider',
  headers: 'Additional HTTP headers',
  mode: 'Which OpenAI API is used',
  allowForeignBaseUrl: 'Allows sending the key of this file to a base URL from another configuration file',
  file: 'For a `script` provider: the scenario or recording to replay, relative to the current folder',
  'accounting.file':
    'A JSON Lines file, relative to the current folder; default `accounting.jsonl` in the home folder',
  models: '`provider/model`, tried in this order',
  'providers.<name>.models': 'Settings of single models, by model',
  command: 'The program of a stdio server',
  args: 'Its arguments',
  env: 'Environment variables in addition to those that every program gets. `${VARIABLE}` is resolved when the server starts: from the `.env` file next to this file, then from the environment; one that is not set stays as it is, with a warning',
  cwd: 'Its working directory, relative to the folder of this file, which is the default. `${PWD}` is the folder of the caller',
  url: 'Its URL',
  'restTools.<name>.url':
    'The URL; `${parameters.name}` is replaced by a parameter, URL-encoded. A call without that parameter fails, so `parametersSchema` should require it',
  'restTools.<name>.headers':
    'HTTP headers; `${parameters.name}` is replaced by a parameter, which must be given, as in `url`',
  'mcpServers.<name>.headers': 'HTTP headers; `${VARIABLE}` is resolved as in `env`',
  oauth:
    'For a server that requires OAuth: see [signing in](../agent-runtime.md#signing-in-to-tool-servers). Without it a client is registered dynamically',
  clientId: 'The id of a client that is registered at the authorization server',
  clientSecret: 'Its secret, if it has one',
  scope: 'The scope to ask for; default: what the server asks for',
  callbackPort: 'The port of the redirect address `http://127.0.0.1:<port>/callback`; default: a free one',
  enabled: 'false disables it',
  toolsAllowed:
    'Only these of its tools; `*` matches any text. A name that the server does not have is an error',
  toolsDenied:
    'All of its tools except these; `*` matches any text. A name that the server does not have is an error',
  queue: 'The queue of its calls',
  shared: 'One server for all sessions of the process',
  startTimeoutMs: 'The timeout for the start',
  toolTimeoutMs: 'The timeout of a tool call in milliseconds; time in a queue does not count',
  toolTimeout: 'The same, older name',
  toolResponseMaxBytes: 'Maximum bytes of a tool response; a longer one is truncated',
  healthProbe: 'How to check a server after a call that was cancelled; one that does not answer is restarted',
  elicitation:
    '`ask` lets its calls ask the user questions; default `deny`. See [questions](../agent-runtime.md#requests-of-tool-servers)',
  sampling:
    '`allow` lets its calls send requests to the model of the session, which count as turns; default `deny`. See [requests](../agent-runtime.md#requests-of-tool-servers)',
  resources: 'Offers its resources as the tools `list_resources` and `read_resource`',
  prompts: 'Offers its prompts as the tools `list_prompts` and `get_prompt`',
  description: 'The description that the model reads',
  method: 'The HTTP method',
  parametersSchema: 'The JSON Schema of its parameters',
  bodyTemplate:
    'The request body as JSON. A string that is only `${parameters.name}` becomes the parameter with its type; inside other text it is inserted as text. A parameter that is not given is left out',
  timeoutMs: 'The timeout of a request',
  concurrent: 'The number of concurrent calls',
  tools: 'Tool servers, REST tools, or `server__tool`',
  maxTurns: 'Maximum number of turns',
  maxRetries: 'Maximum number of attempts per turn, over all models',
  maxToolCallsPerTurn: 'Maximum number of tool calls per turn',
  llmTimeoutMs: 'The maximum time without data from a model, in milliseconds',
  llmTimeout: 'The same, older name',
  maxCostUsd:
    'Maximum cost of a session and its sub-agents in US dollars, enforced like `maxTotalTokens`; refused for a model whose price is unknown',
  maxTotalTokens:
    'Maximum number of tokens of all requests, including sub-agents. Near it the final turn is forced; a response that alone exceeds it is followed by that turn only',
  maxDurationMs: 'Maximum duration of a session in milliseconds; the last part of it is for the final turn',
  toolingTransport:
    '`native`: tool calls of the provider. `xml-final`: the same, but the report is text in a tag. `xml`: tags for everything, for models without tool calls',
  format: 'The format of the report',
  stream: 'Whether responses are streamed',
  traceTools: 'Log tool responses without truncation',
  progressReports: 'Whether the agent can report progress',
  batch: 'Whether the tool for several calls in one request is available',
  approval:
    'Rules for tool calls, each with `tool`, `arguments` and `decision`: `allow`, `ask` a person, or `deny`. The first match decides; the strictest decision of all files applies. See [approval](../agent-runtime.md#approval)',
  guards:
    'Conditions that the report must meet, each with one of `match`, `notMatch` (regular expressions), `schema`, `notSchema` (JSON Schemas), and optionally `message` for the model. Those of all files apply. See [guards](../agent-runtime.md#guards)',
  compaction:
    'Turns older turns into a summary of the model, in a separate turn; off when absent, `{}` uses the defaults. See [compaction](../agent-runtime.md#compaction)',
  atShare: 'The share of the context limit above which the older turns are summarized',
  keepTurns: 'How many of the last turns stay as they are',
  contextWindow: 'The context window of a model in tokens',
  contextWindowBufferTokens: 'Tokens kept free, because token counts before a request are estimates',
  tokenizer: 'How tokens are counted before a request',
  accepts:
    'What the model accepts besides text: `image`, `pdf`. Default: both for OpenAI, Anthropic and Google, nothing for other providers',
  input: 'Per million input tokens',
  output: 'Per million output tokens',
  cacheRead: 'Per million tokens read from a cache',
  cacheWrite: 'Per million tokens written to a cache',
  temperature: 'Sampling temperature',
  topP: 'Nucleus sampling',
  topK: 'Sampling from the k most likely tokens',
  repeatPenalty: 'Penalty on repetition',
  frequencyPenalty: 'Penalty on frequent tokens',
  presencePenalty: 'Penalty on tokens that already occurred',
  seed: 'Random seed, for providers that support it',
  stopSequences: 'Strings that end a response',
  maxOutputTokens: 'Maximum number of tokens of one response',
  reasoning: 'The reasoning effort',
  reasoning_effort: 'The same, under the name of the contract',
  extended_thinking: 'Extended thinking of Anthropic models, with an optional budget',
  caching: 'Whether the provider caches prompts',
  providerOptions: 'Passed to the provider unchanged',
};
