import { secretsAmong } from '../mask-secrets.ts';
import { keyFor } from '../providers/provider-family.ts';
import { expandKnown, type Variables } from './placeholders.ts';
import { selectTools } from '../tools/select-tools.ts';
import type { AgentConfig } from './load-config.ts';
import { providerSettings } from './resolve-session.ts';

/** What of the configuration agents use. */
export interface UsedParts {
  readonly providers: readonly string[];
  readonly tools: readonly string[];
}

/** The keys, and the headers and variables that look like keys, of what agents use. Parts that they do not use may not even resolve. */
export function knownSecrets(
  config: AgentConfig,
  { providers, tools }: UsedParts,
  env: Variables,
): readonly string[] {
  const { servers, restTools } = selectTools(config, tools);
  return [
    ...providers.flatMap((name) => {
      const settings = providerSettings(config, name);
      return [keyFor(name, settings, env) ?? '', ...secretsAmong(settings.headers)];
    }),
    ...Object.values(servers).flatMap(({ settings }) => [
      ...secretsAmong(expandKnown(settings.headers ?? {}, env)),
      ...secretsAmong(expandKnown(settings.env ?? {}, env)),
    ]),
    ...Object.values(restTools).flatMap(({ headers }) => secretsAmong(headers)),
  ];
}
