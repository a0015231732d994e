import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import type { ConfigLayer } from './config-layers.ts';

/**
 * What happens to a folder's configuration that nobody has vouched for. `refuse`: its providers and tools are left out, and a key
 * never meets a foreign address. `warn`: the layers merge as the contract says, and whoever runs it is told.
 */
export interface TrustPolicy {
  readonly mode: 'refuse' | 'warn';
  /** Whether this account has trusted a file with this content. */
  readonly isTrusted: (file: string, text: string) => boolean;
}

export interface TrustedLayers {
  readonly layers: readonly ConfigLayer[];
  readonly strangers: ReadonlySet<ConfigLayer>;
  readonly warnings: readonly string[];
}

/** Sections that run programs, call addresses or decide over keys and files. */
const POWERFUL = ['providers', 'mcpServers', 'restTools', 'pricing', 'accounting'] as const;

/** Applies the policy to layers of folders. The home configuration may ask for the strict one. */
export function applyTrust(layers: readonly ConfigLayer[], policy: TrustPolicy): TrustedLayers {
  const mode = effectiveMode(layers, policy);
  const warnings: string[] = [];
  const strangers = new Set<ConfigLayer>();
  const kept = layers.map((layer) => {
    if (!isStranger(layer, policy)) return layer;
    const powerful = POWERFUL.filter((section) => layer.values[section] !== undefined);
    if (mode === 'warn') {
      if (powerful.length > 0)
        warnings.push(`${layer.file} is not trusted, and its ${powerful.join(', ')} are used all the same.`);
      strangers.add(layer);
      return layer;
    }
    if (powerful.length > 0)
      warnings.push(
        `${layer.file} is not trusted: its ${powerful.join(', ')} are left out. Run "deed config trust" for it if you know who wrote it.`,
      );
    const harmless = Object.entries(layer.values).filter(([key]) => !POWERFUL.includes(key as never));
    const stripped = { ...layer, values: Object.fromEntries(harmless) };
    strangers.add(stripped);
    return stripped;
  });
  return { layers: kept, strangers, warnings };
}

/** `refuse` when the program or the home configuration wants it so. */
export function effectiveMode(layers: readonly ConfigLayer[], policy: TrustPolicy): TrustPolicy['mode'] {
  const home = layers.find(({ origin }) => origin === 'home');
  return home?.values.trust === 'strict' ? 'refuse' : policy.mode;
}

function isStranger(layer: ConfigLayer, policy: TrustPolicy): boolean {
  if (layer.origin !== 'cwd' && layer.origin !== 'prompt') return false;
  if (!policy.isTrusted(layer.file, layer.text)) return true;
  return layer.envText !== undefined && !policy.isTrusted(layer.envFile, layer.envText);
}

/**
 * Finds a provider whose secret would be sent to an address that another layer chose, and says so; nothing when there is none or
 * when the layer of the secret allows it.
 */
export function foreignAddress(
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
    `The key of provider ${name} is from ${owner.file}, but its address from ${address.file}.`,
    {
      hint: `Give both in one file, or set providers.${name}.allowForeignBaseUrl in ${owner.file}.`,
      details: { provider: name, key_layer: owner.file, address_layer: address.file },
    },
  );
}

function allowsForeign(layer: ConfigLayer, name: string): boolean {
  const { providers } = layer.values;
  const provider = isPlainObject(providers) ? providers[name] : undefined;
  return isPlainObject(provider) && provider.allowForeignBaseUrl === true;
}
