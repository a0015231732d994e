import type { ConfigLayer } from './config-layers.ts';
import { describeUntrusted, trustCommand } from './describe-untrusted.ts';

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
        warnings.push(
          `${layer.file} is not trusted, but its ${privileged.join(', ')} are used. ${describeUntrusted(layer)}`,
        );
      untrusted.add(layer);
      return layer;
    }
    if (privileged.length > 0)
      warnings.push(
        `${describeIgnored(layer, policy, privileged)} If you trust its author, run ${trustCommand(layer)}.`,
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
  return untrustedFile(layer, policy) !== undefined;
}

function describeIgnored(layer: ConfigLayer, policy: TrustPolicy, sections: readonly string[]): string {
  const file = untrustedFile(layer, policy) ?? layer.file;
  const ignored = sections.join(', ');
  return file === layer.file
    ? `${file} is not trusted: its ${ignored} are ignored.`
    : `${file} is not trusted: the ${ignored} of ${layer.file} are ignored.`;
}

/** Returns the file of a layer that is not trusted: the configuration, or the variables next to it. */
function untrustedFile(
  { file, text, envFile, envText }: ConfigLayer,
  { isTrusted }: TrustPolicy,
): string | undefined {
  if (!isTrusted(file, text)) return file;
  return envText === undefined || isTrusted(envFile, envText) ? undefined : envFile;
}
