import { findSecretValues } from '../mask-secrets.ts';
import { resolveApiKey } from '../providers/provider-family.ts';
import type { Variables } from './placeholders.ts';
import { resolveServerField } from './server-source.ts';
import { selectTools } from '../tools/select-tools.ts';
import type { LoadedConfig } from './load-config.ts';
import { providerSettings } from './resolve-session.ts';

/** The providers and tools that agents use. */
export interface UsedParts {
  readonly providers: readonly string[];
  readonly tools: readonly string[];
}

/** Returns the API keys and the secret-looking headers and variables of the used parts. Unused parts may have unresolved variables. */
export function collectSecrets(
  config: LoadedConfig,
  { providers, tools }: UsedParts,
  env: Variables,
): readonly string[] {
  const { servers, restTools } = selectTools(config, tools);
  return [
    ...providers.flatMap((name) => {
      const settings = providerSettings(config, name);
      return [resolveApiKey(name, settings, env) ?? '', ...findSecretValues(settings.headers)];
    }),
    ...Object.values(servers).flatMap(({ settings, source }) => [
      ...findSecretValues(resolveServerField(settings.headers, 'headers', source, env)),
      ...findSecretValues(resolveServerField(settings.env, 'env', source, env)),
      settings.oauth?.clientSecret ?? '',
    ]),
    ...Object.values(restTools).flatMap(({ headers }) => findSecretValues(headers)),
  ];
}
