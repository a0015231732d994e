import { Fault } from '../../base/fault.ts';
import { PROVIDER_TYPES, type ProviderSettings } from '../config/config-schema.ts';

export type ProviderFamily = (typeof PROVIDER_TYPES)[number];

/** A provider that is ready to be called: its family is known, and its key is what it is meant to be. */
export interface ReadyProvider {
  readonly name: string;
  readonly family: ProviderFamily;
  readonly apiKey: string | undefined;
  /** Where it is asked; a recording is asked nowhere. */
  readonly baseUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly mode: 'chat' | 'responses';
}

const KEY_VARIABLES: Readonly<Partial<Record<ProviderFamily, readonly string[]>>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  openrouter: ['OPENROUTER_API_KEY'],
};

/** Where a family is asked when the configuration names no address. */
const OWN_ADDRESSES: Readonly<Partial<Record<ProviderFamily, string>>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  openrouter: 'https://openrouter.ai/api/v1',
};

/**
 * Completes a provider. The key of the environment is taken only for the family's own address: whoever names another address names
 * the key for it too.
 */
export function prepareProvider(
  name: string,
  settings: ProviderSettings,
  env: Readonly<Record<string, string | undefined>>,
): ReadyProvider {
  const family = familyOf(name, settings);
  const baseUrl = checkAddress(
    name,
    family === 'ollama' ? ollamaAddress(settings.baseUrl) : settings.baseUrl,
  );
  if (family === 'openai-compatible' && baseUrl === undefined) throw incomplete(name, 'baseUrl');
  const variables = KEY_VARIABLES[family] ?? [];
  const apiKey = keyFor(name, settings, env);
  if (apiKey === undefined && baseUrl === undefined && variables.length > 0)
    throw incomplete(name, 'apiKey', variables[0]);
  return {
    name,
    family,
    apiKey,
    baseUrl: baseUrl ?? OWN_ADDRESSES[family],
    headers: settings.headers ?? {},
    mode: settings.mode ?? 'chat',
  };
}

/** The key that a provider is called with. */
export function keyFor(
  name: string,
  settings: ProviderSettings,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (settings.apiKey) return settings.apiKey;
  const family = familyOf(name, settings);
  // Ollama always has an address, and no variable for a key.
  if (settings.baseUrl !== undefined) return undefined;
  return KEY_VARIABLES[family]?.map((variable) => env[variable]).find(Boolean);
}

/** Tells the family of a provider by its type or, when it has none, by its name. */
export function familyOf(name: string, settings: ProviderSettings): ProviderFamily {
  if (settings.type !== undefined) return settings.type;
  const named = PROVIDER_TYPES.find((type) => type === name);
  return named ?? 'openai-compatible';
}

function checkAddress(name: string, url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/u.test(parsed.protocol)) throw incomplete(name, 'baseUrl');
  return url.replace(/\/+$/u, '');
}

/** Ollama speaks OpenAI's protocol below `/v1`; people write its address with `/api`, with `/v1` or bare. */
function ollamaAddress(url = 'http://localhost:11434'): string {
  return `${url.replace(/\/+$/u, '').replace(/\/(?:api|v1)$/u, '')}/v1`;
}

function incomplete(name: string, field: string, variable?: string): Fault {
  return new Fault('E_CONFIG', `Provider ${name} has no valid ${field}.`, {
    hint: `Set providers.${name}.${field}${variable === undefined ? '' : `, or ${variable} in the environment`}.`,
    details: { provider: name, field },
  });
}
