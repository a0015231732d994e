import { sha256 } from '../../base/digest.ts';
import type { QueueConfig } from '../session-config.ts';
import { inlineLayer, readLayers, type ConfigLayer, type LayerPlaces } from './config-layers.ts';
import {
  CONFIG_SCHEMA,
  type AgentConfigFile,
  type DefaultSettings,
  type McpServerSettings,
  type ProviderSettings,
  type RestToolSettings,
} from './config-schema.ts';
import { applyTrust, effectiveMode, foreignAddress, type TrustPolicy } from './layer-trust.ts';
import { mergeLayers } from './merge-layers.ts';
import { assertResolved, expandTree, type Variables } from './placeholders.ts';
import { completeQueues } from './queues.ts';
import { unknownName, validateLayer } from './validate-layer.ts';

export interface ConfigSources {
  /** A configuration that stands for all files: none is read. */
  readonly inline?: AgentConfigFile;
  readonly places: LayerPlaces;
  readonly env: Variables;
  /** How many calls the default queue lets run at once. */
  readonly defaultConcurrency: number;
  readonly trust: TrustPolicy;
}

/**
 * The merged configuration. What a session does not use may hold variables that nothing defines; asking for a part throws for those
 * in it, and for a name that is not there.
 */
export interface AgentConfig {
  /** The files it was read from, the strongest first. */
  readonly files: readonly string[];
  /** Of everything that was read; another one means that something changed. */
  readonly digest: string;
  readonly warnings: readonly string[];
  readonly defaults: DefaultSettings;
  readonly queues: Readonly<Record<string, QueueConfig>>;
  readonly pricing: NonNullable<AgentConfigFile['pricing']>;
  readonly accountingFile: string | undefined;
  readonly providerNames: readonly string[];
  readonly serverNames: readonly string[];
  readonly restToolNames: readonly string[];
  readonly provider: (name: string) => ProviderSettings;
  readonly server: (name: string) => McpServerSettings;
  readonly restTool: (name: string) => RestToolSettings;
}

/** Reads, checks, expands and merges the layers. */
export function loadConfig(deps: ConfigSources): AgentConfig {
  const found = deps.inline === undefined ? readLayers(deps.places) : [inlineLayer(deps.inline)];
  for (const { file, values } of found) validateLayer(CONFIG_SCHEMA, values, file);
  const mode = effectiveMode(found, deps.trust);
  const { layers, strangers, warnings } = applyTrust(found, { ...deps.trust, mode });
  const expanded = layers.map((layer) => ({
    origin: layer,
    // What a stranger's file may see of the environment is nothing, unless the contract's letter is asked for.
    values: expandLayer(layer, mode === 'refuse' && strangers.has(layer) ? {} : deps.env),
  }));
  const { values, originOf } = mergeLayers(expanded);
  const merged = values as AgentConfigFile;
  const { providers = {}, mcpServers = {}, restTools = {}, pricing = {}, defaults = {}, accounting } = merged;
  assertResolved([defaults, merged.queues, pricing, accounting]);
  const said = [...warnings];
  return {
    files: layers.map(({ file }) => file),
    digest: sha256(JSON.stringify(layers.map(({ file, text, envText }) => [file, text, envText]))),
    warnings: said,
    defaults,
    queues: completeQueues(merged, deps.defaultConcurrency, originOf),
    pricing,
    accountingFile: accounting?.file,
    providerNames: Object.keys(providers),
    serverNames: Object.keys(mcpServers),
    restToolNames: Object.keys(restTools),
    provider: (name) => {
      const settings = pick('provider', providers, name);
      const problem = foreignAddress(name, originOf, Object.keys(settings.headers ?? {}));
      if (problem !== undefined && mode === 'refuse') throw problem;
      if (problem !== undefined && !said.includes(problem.message)) said.push(problem.message);
      return settings;
    },
    server: (name) => pick('tool server', mcpServers, name),
    restTool: (name) => ({ ...pick('REST tool', restTools, name) }),
  };
}

function pick<T>(kind: string, table: Readonly<Record<string, T>>, name: string): T {
  const value = Object.hasOwn(table, name) ? table[name] : undefined;
  if (value === undefined) throw unknownName(kind, name, Object.keys(table));
  assertResolved(value);
  return value;
}

function expandLayer(layer: ConfigLayer, env: Variables): unknown {
  return expandTree(layer.values, { layer: layer.file, variables: [layer.variables, env], isProtected });
}

/** What a child or a remote server is given is resolved when it is started, not before. */
function isProtected([section, , field]: readonly string[]): boolean {
  return section === 'mcpServers' && (field === 'env' || field === 'headers');
}
