import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { familyOf } from '../providers/provider-family.ts';
import {
  DEFAULT_CONTEXT,
  DEFAULT_LIMITS,
  type SessionConfig,
  type SessionLimits,
  type Target,
} from '../session-config.ts';
import type { DefaultSettings, ProviderSettings } from './config-schema.ts';
import type { AgentConfig } from './load-config.ts';
import { mergeParameters } from './parameter-schema.ts';

/** Settings of one session from one place: the command line, a prompt file, or the defaults of the configuration. */
export type SessionSettings = DefaultSettings;

export interface SessionTexts {
  readonly agentId: string;
  readonly systemPrompt: string;
  readonly userPrompt: string;
  readonly outputSchema?: JsonObject | undefined;
}

/** Where settings come from. Parameters of a request may also be set at a provider or a model, which stand above all but `call`. */
export interface SettingSources {
  /** The command line, or the program that calls. */
  readonly call: SessionSettings;
  readonly promptFile: SessionSettings;
}

/** Puts a session together: what the call says beats the prompt file, which beats the configuration, which beats the defaults. */
export function resolveSession(
  config: AgentConfig,
  sources: SettingSources,
  texts: SessionTexts,
): SessionConfig {
  const settings: SessionSettings = {
    ...config.defaults,
    ...given(sources.promptFile),
    ...given(sources.call),
  };
  const { models = [] } = settings;
  if (models.length === 0) throw noModel();
  return {
    agentId: texts.agentId,
    systemPrompt: texts.systemPrompt,
    userPrompt: texts.userPrompt,
    targets: models.map((model) => resolveTarget(config, sources, model)),
    limits: resolveLimits(settings),
    transport: settings.toolingTransport ?? 'xml-final',
    output: {
      format: settings.format ?? 'markdown',
      ...(texts.outputSchema !== undefined && { schema: texts.outputSchema }),
    },
    stream: settings.stream ?? true,
    traceTools: settings.traceTools ?? false,
    progressReports: settings.progressReports ?? true,
    batch: settings.batch ?? true,
    queues: config.queues,
  };
}

/** Splits `provider/model` at the first slash: models have slashes of their own. */
export function splitModel(text: string): { readonly provider: string; readonly model: string } {
  const slash = text.indexOf('/');
  if (slash > 0 && slash < text.length - 1)
    return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
  throw new Fault('E_CONFIG', `"${text}" names no model.`, {
    hint: 'Write provider/model, for example openai/gpt-5.',
    details: { field: 'models', value: text },
  });
}

/** The settings of a provider; one of the known families needs none. */
export function providerSettings(config: AgentConfig, name: string): ProviderSettings {
  const bare = !config.providerNames.includes(name) && familyOf(name, {}) === name;
  return bare ? {} : config.provider(name);
}

function resolveTarget(config: AgentConfig, { call, promptFile }: SettingSources, text: string): Target {
  const { provider, model } = splitModel(text);
  const settings = providerSettings(config, provider);
  const own = settings.models?.[model];
  const parameters = mergeParameters(config.defaults, promptFile, settings, own, call);
  const maxOutputTokens = parameters.maxOutputTokens ?? DEFAULT_CONTEXT.maxOutputTokens;
  const pick = <K extends 'contextWindow' | 'contextWindowBufferTokens' | 'tokenizer'>(key: K) =>
    call[key] ?? own?.[key] ?? settings[key] ?? promptFile[key] ?? config.defaults[key];
  const tokenizer =
    pick('tokenizer') ?? (familyOf(provider, settings) === 'openai' ? 'o200k_base' : undefined);
  const pricing = own?.pricing ?? config.pricing[provider]?.[model];
  return {
    provider,
    model,
    contextWindow: pick('contextWindow') ?? DEFAULT_CONTEXT.contextWindow,
    contextWindowBufferTokens: pick('contextWindowBufferTokens') ?? DEFAULT_CONTEXT.contextWindowBufferTokens,
    maxOutputTokens,
    // What is reserved for the answer is also what the provider is told.
    parameters: { ...parameters, maxOutputTokens },
    ...(tokenizer !== undefined && { tokenizer }),
    ...(pricing !== undefined && { pricing }),
  };
}

function resolveLimits(settings: SessionSettings): SessionLimits {
  const { maxCostUsd, maxTotalTokens, maxDurationMs } = settings;
  return {
    maxTurns: settings.maxTurns ?? DEFAULT_LIMITS.maxTurns,
    maxRetries: settings.maxRetries ?? DEFAULT_LIMITS.maxRetries,
    maxToolCallsPerTurn: settings.maxToolCallsPerTurn ?? DEFAULT_LIMITS.maxToolCallsPerTurn,
    toolTimeoutMs: settings.toolTimeoutMs ?? settings.toolTimeout ?? DEFAULT_LIMITS.toolTimeoutMs,
    llmTimeoutMs: settings.llmTimeoutMs ?? settings.llmTimeout ?? DEFAULT_LIMITS.llmTimeoutMs,
    toolResponseMaxBytes: settings.toolResponseMaxBytes ?? DEFAULT_LIMITS.toolResponseMaxBytes,
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(maxTotalTokens !== undefined && { maxTotalTokens }),
    ...(maxDurationMs !== undefined && { maxDurationMs }),
  };
}

/** Without what is not set, so that it hides nothing below it. */
function given(settings: SessionSettings): SessionSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function noModel(): Fault {
  return new Fault('E_CONFIG', 'No model is named.', {
    hint: 'Give --models provider/model, or set models in the prompt file or in defaults of the configuration.',
    details: { field: 'models' },
  });
}
