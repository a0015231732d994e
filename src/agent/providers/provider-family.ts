import { Fault } from '../../base/fault.ts';
import { PROVIDER_TYPES, type ProviderSettings } from '../config/config-schema.ts';

export type ProviderFamily = (typeof PROVIDER_TYPES)[number];

/** A provider with its family, key and base URL resolved. */
export interface PreparedProvider {
  readonly name: string;
  readonly family: ProviderFamily;
  readonly apiKey: string | undefined;
  /** Undefined for a script. */
  readonly baseUrl: string | undefined;
  /** The configuration sets the base URL. */
  readonly hasOwnBaseUrl: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly mode: 'chat' | 'responses';
}

const KEY_VARIABLES: Readonly<Partial<Record<ProviderFamily, readonly string[]>>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  openrouter: ['OPENROUTER_API_KEY'],
};

/** Base URLs of the provider families, used when the configuration sets none. */
const DEFAULT_BASE_URLS: Readonly<Partial<Record<ProviderFamily, string>>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  openrouter: 'https://openrouter.ai/api/v1',
};

/**
 * Resolves a provider's family, key and base URL. The key from the environment is used only with the family's default base URL; a
 * configuration with another base URL must also set the key.
 */
export function prepareProvider(
  name: string,
  settings: ProviderSettings,
  env: Readonly<Record<string, string | undefined>>,
): PreparedProvider {
  const family = familyOf(name, settings);
  const baseUrl = checkBaseUrl(
    name,
    family === 'ollama' ? ollamaBaseUrl(settings.baseUrl) : settings.baseUrl,
  );
  if (family === 'openai-compatible' && baseUrl === undefined) throw incompleteProvider(name, 'baseUrl');
  const variables = KEY_VARIABLES[family] ?? [];
  const apiKey = resolveApiKey(name, settings, env);
  if (apiKey === undefined && baseUrl === undefined && variables.length > 0)
    throw incompleteProvider(name, 'apiKey', variables[0]);
  return {
    name,
    family,
    apiKey,
    baseUrl: baseUrl ?? DEFAULT_BASE_URLS[family],
    hasOwnBaseUrl: settings.baseUrl !== undefined,
    headers: settings.headers ?? {},
    mode: settings.mode ?? 'chat',
  };
}

/** Returns the API key of a provider. */
export function resolveApiKey(
  name: string,
  settings: ProviderSettings,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (settings.apiKey) return settings.apiKey;
  const family = familyOf(name, settings);
  // The key from the environment must not be sent to a configured base URL.
  if (settings.baseUrl !== undefined) return undefined;
  return KEY_VARIABLES[family]?.map((variable) => env[variable]).find(Boolean);
}

/** Returns the family of a provider by its type, or by its name if no type is set. */
export function familyOf(name: string, settings: ProviderSettings): ProviderFamily {
  if (settings.type !== undefined) return settings.type;
  const named = PROVIDER_TYPES.find((type) => type === name);
  return named ?? 'openai-compatible';
}

function checkBaseUrl(name: string, url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/u.test(parsed.protocol)) throw incompleteProvider(name, 'baseUrl');
  return url.replace(/\/+$/u, '');
}

/** Returns the base URL of Ollama's OpenAI-compatible API at `/v1`; accepts URLs that end in `/api`, `/v1` or neither. */
function ollamaBaseUrl(url = 'http://localhost:11434'): string {
  return `${url.replace(/\/+$/u, '').replace(/\/(?:api|v1)$/u, '')}/v1`;
}

function incompleteProvider(name: string, field: string, variable?: string): Fault {
  return new Fault('E_CONFIG', `Provider ${name} has no valid ${field}.`, {
    hint: `Set providers.${name}.${field}${variable === undefined ? '' : `, or ${variable} in the environment`}.`,
    details: { provider: name, field },
  });
}
