import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { defaultKinds } from '../attachments/accepted-kinds.ts';
import { withAttachments, type Attachment } from '../conversation.ts';
import { familyOf } from '../providers/provider-family.ts';
import {
  DEFAULT_CONTEXT,
  DEFAULT_LIMITS,
  type SessionConfig,
  type SessionLimits,
  type Target,
} from '../session-config.ts';
import type { DefaultSettings, ProviderSettings } from './config-schema.ts';
import type { LoadedConfig } from './load-config.ts';
import { mergeParameters } from './parameter-schema.ts';

/** Session settings from one source: the command line, a prompt file, or the defaults of the configuration. */
export type SessionSettings = DefaultSettings;

export interface SessionPrompts {
  readonly agentId: string;
  readonly systemPrompt: string;
  readonly userPrompt: string;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly outputSchema?: JsonObject | undefined;
}

/** The sources of settings. Request parameters of a provider or model override all of them except `call`. */
export interface SettingSources {
  /** Settings of the command line or the calling program. */
  readonly call: SessionSettings;
  readonly promptFile: SessionSettings;
}

/** Resolves a session's configuration. Priority: call, prompt file, configuration file, built-in defaults. */
export function resolveSession(
  config: LoadedConfig,
  sources: SettingSources,
  prompts: SessionPrompts,
): SessionConfig {
  const settings: SessionSettings = {
    ...config.defaults,
    ...withoutUndefined(sources.promptFile),
    ...withoutUndefined(sources.call),
  };
  const { models = [] } = settings;
  if (models.length === 0) throw noModelFault();
  return {
    agentId: prompts.agentId,
    systemPrompt: prompts.systemPrompt,
    userPrompt: prompts.userPrompt,
    ...withAttachments(prompts.attachments),
    targets: models.map((model) => resolveTarget(config, sources, model)),
    limits: resolveLimits(settings),
    transport: settings.toolingTransport ?? 'xml-final',
    output: {
      format: settings.format ?? 'markdown',
      ...(prompts.outputSchema !== undefined && { schema: prompts.outputSchema }),
    },
    stream: settings.stream ?? true,
    traceTools: settings.traceTools ?? false,
    progressReports: settings.progressReports ?? true,
    batch: settings.batch ?? true,
    queues: config.queues,
    ...(settings.compaction !== undefined && {
      compaction: { ...DEFAULT_COMPACTION, ...settings.compaction },
    }),
    guards: [...config.guards, ...(sources.promptFile.guards ?? []), ...(sources.call.guards ?? [])],
    approval: [...config.approval, sources.promptFile.approval ?? [], sources.call.approval ?? []].filter(
      (rules) => rules.length > 0,
    ),
  };
}

/** Used for the limits of compaction that the settings omit. */
const DEFAULT_COMPACTION = { atShare: 0.7, keepTurns: 2 };

/** Splits `provider/model` at the first slash, because model names may contain slashes. */
export function splitModel(text: string): { readonly provider: string; readonly model: string } {
  const slash = text.indexOf('/');
  if (slash > 0 && slash < text.length - 1)
    return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
  throw new Fault('E_CONFIG', `Invalid model "${text}".`, {
    hint: 'Use the form provider/model, for example openai/gpt-5.',
    details: { field: 'models', value: text },
  });
}

/** Returns the settings of a provider; a built-in provider may have none. */
export function providerSettings(config: LoadedConfig, name: string): ProviderSettings {
  const isUnconfigured = !config.providerNames.includes(name) && familyOf(name, {}) === name;
  return isUnconfigured ? {} : config.provider(name);
}

function resolveTarget(config: LoadedConfig, { call, promptFile }: SettingSources, text: string): Target {
  const { provider, model } = splitModel(text);
  const settings = providerSettings(config, provider);
  const own = ownMember(settings.models, model);
  const parameters = mergeParameters(config.defaults, promptFile, settings, own, call);
  const maxOutputTokens = parameters.maxOutputTokens ?? DEFAULT_CONTEXT.maxOutputTokens;
  const pick = <K extends 'contextWindow' | 'contextWindowBufferTokens' | 'tokenizer'>(key: K) =>
    call[key] ?? own?.[key] ?? settings[key] ?? promptFile[key] ?? config.defaults[key];
  const tokenizer =
    pick('tokenizer') ?? (familyOf(provider, settings) === 'openai' ? 'o200k_base' : undefined);
  const pricing = own?.pricing ?? ownMember(ownMember(config.pricing, provider), model);
  return {
    provider,
    model,
    contextWindow: pick('contextWindow') ?? DEFAULT_CONTEXT.contextWindow,
    contextWindowBufferTokens: pick('contextWindowBufferTokens') ?? DEFAULT_CONTEXT.contextWindowBufferTokens,
    maxOutputTokens,
    accepts: own?.accepts ?? settings.accepts ?? defaultKinds(familyOf(provider, settings)),
    // The tokens that the context guard reserves for the response are also sent to the provider as its limit.
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

/** Removes undefined settings, so that they do not override lower sources. */
function withoutUndefined(settings: SessionSettings): SessionSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function noModelFault(): Fault {
  return new Fault('E_CONFIG', 'No model is configured.', {
    hint: 'Pass --models provider/model, or set models in the prompt file or in the defaults of the configuration.',
    details: { field: 'models' },
  });
}
