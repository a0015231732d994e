import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import type { ConfigLayer } from './config-layers.ts';

/**
 * How to handle an untrusted configuration file of a folder. `refuse`: ignore its providers and tools, and never send a key to a base
 * URL of another layer. `warn`: merge the layers as the contract specifies and warn the user.
 */
export interface TrustPolicy {
  readonly mode: 'refuse' | 'warn';
  /** Returns whether the current user has trusted this file with this content. */
  readonly isTrusted: (file: string, text: string) => boolean;
}

export interface TrustedLayers {
  readonly layers: readonly ConfigLayer[];
  readonly untrusted: ReadonlySet<ConfigLayer>;
  readonly warnings: readonly string[];
}

/** Sections that run programs, call URLs, or control keys and files. */
const PRIVILEGED_SECTIONS = ['providers', 'mcpServers', 'restTools', 'pricing', 'accounting'] as const;

/** Applies the trust policy to the layers of folders. */
export function applyTrust(layers: readonly ConfigLayer[], policy: TrustPolicy): TrustedLayers {
  const mode = effectiveMode(layers, policy);
  const warnings: string[] = [];
  const untrusted = new Set<ConfigLayer>();
  const kept = layers.map((layer) => {
    if (!isUntrusted(layer, policy)) return layer;
    const privileged = PRIVILEGED_SECTIONS.filter((section) => layer.values[section] !== undefined);
    if (mode === 'warn') {
      if (privileged.length > 0)
        warnings.push(`${layer.file} is not trusted, but its ${privileged.join(', ')} are used.`);
      untrusted.add(layer);
      return layer;
    }
    if (privileged.length > 0)
      warnings.push(
        `${layer.file} is not trusted: its ${privileged.join(', ')} are ignored. If you trust its author, run "deed config trust" for it.`,
      );
    const harmless = Object.entries(layer.values).filter(
      ([key]) => !PRIVILEGED_SECTIONS.includes(key as never),
    );
    const stripped = { ...layer, values: Object.fromEntries(harmless) };
    untrusted.add(stripped);
    return stripped;
  });
  return { layers: kept, untrusted, warnings };
}

/** Returns `refuse` when the policy or the home configuration requires it. */
export function effectiveMode(layers: readonly ConfigLayer[], policy: TrustPolicy): TrustPolicy['mode'] {
  const home = layers.find(({ origin }) => origin === 'home');
  return home?.values.trust === 'strict' ? 'refuse' : policy.mode;
}

function isUntrusted(layer: ConfigLayer, policy: TrustPolicy): boolean {
  if (layer.origin !== 'cwd' && layer.origin !== 'prompt') return false;
  if (!policy.isTrusted(layer.file, layer.text)) return true;
  return layer.envText !== undefined && !policy.isTrusted(layer.envFile, layer.envText);
}

/**
 * Returns a Fault when a provider's secret would be sent to a base URL that another layer set; undefined when the layer of the
 * secret allows it.
 */
export function findForeignBaseUrl(
  name: string,
  originOf: (path: readonly string[]) => ConfigLayer | undefined,
  headerNames: readonly string[],
): Fault | undefined {
  const address = originOf(['providers', name, 'baseUrl']);
  if (address === undefined) return undefined;
  const secrets = [['apiKey'], ...headerNames.map((header) => ['headers', header])];
  const owner = secrets
    .map((path) => originOf(['providers', name, ...path]))
    .find((layer) => layer !== undefined && layer !== address);
  if (owner === undefined || allowsForeign(owner, name)) return undefined;
  return new Fault(
    'E_FORBIDDEN',
    `The API key of provider ${name} is set in ${owner.file}, but its base URL in ${address.file}.`,
    {
      hint: `Set both in one file, or set providers.${name}.allowForeignBaseUrl in ${owner.file}.`,
      details: { provider: name, key_layer: owner.file, address_layer: address.file },
    },
  );
}

function allowsForeign(layer: ConfigLayer, name: string): boolean {
  const { providers } = layer.values;
  const provider = isPlainObject(providers) ? providers[name] : undefined;
  return isPlainObject(provider) && provider.allowForeignBaseUrl === true;
}
