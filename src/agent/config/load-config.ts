import { ownMember } from '../../base/own-member.ts';
import { sha256 } from '../../system/digest.ts';
import type { Fault } from '../../base/fault.ts';
import type { ApprovalRule } from '../approval/approval-rule.ts';
import type { ReportGuard } from '../guards/report-guard.ts';
import type { QueueConfig } from '../session-config.ts';
import { inlineLayer, readLayers, type ConfigLayer, type LayerLocations } from './config-layers.ts';
import {
  CONFIG_SCHEMA,
  type AgentConfigFile,
  type DefaultSettings,
  type McpServerSettings,
  type ProviderSettings,
  type RestToolSettings,
} from './config-schema.ts';
import { checkRestTool } from './check-rest-tool.ts';
import { findForeignProvider, findForeignRestTool, findForeignServer } from './foreign-address.ts';
import { applyTrust, effectiveMode, type TrustPolicy } from './layer-trust.ts';
import { lowerLimits } from './lower-limits.ts';
import { mergeLayers } from './merge-layers.ts';
import { assertResolved, expandTree, type Variables } from './placeholders.ts';
import { completeQueues } from './queues.ts';
import { describeUnset, serverSource, type ServerSource } from './server-source.ts';
import { unknownName, validateLayer } from './validate-layer.ts';

export interface ConfigSources {
  /** The configuration as a value; when set, no file is read. */
  readonly inline?: AgentConfigFile;
  readonly locations: LayerLocations;
  readonly env: Variables;
  /** Concurrent calls of the default queue. */
  readonly defaultConcurrency: number;
  readonly trust: TrustPolicy;
}

/**
 * The merged configuration. Parts that no session uses may contain unresolved variables: `provider`, `server` and `restTool` throw
 * for an unresolved variable in the requested part and for an unknown name.
 */
export interface LoadedConfig {
  /** The files it was read from, highest priority first. */
  readonly files: readonly string[];
  /** Hash of all files that were read; it changes when one of them changes. */
  readonly digest: string;
  readonly warnings: readonly string[];
  readonly defaults: DefaultSettings;
  readonly queues: Readonly<Record<string, QueueConfig>>;
  readonly pricing: NonNullable<AgentConfigFile['pricing']>;
  /** The rules for tool calls of each file; no file can loosen the rules of another file. */
  readonly approval: readonly (readonly ApprovalRule[])[];
  /** The guards of all files: a report must meet every one. */
  readonly guards: readonly ReportGuard[];
  readonly accountingFile: string | undefined;
  readonly providerNames: readonly string[];
  readonly serverNames: readonly string[];
  readonly restToolNames: readonly string[];
  readonly provider: (name: string) => ProviderSettings;
  readonly server: (name: string) => McpServerSettings;
  /** Returns the files that configure a tool server. */
  readonly serverSource: (name: string) => ServerSource;
  readonly restTool: (name: string) => RestToolSettings;
}

/** Reads, validates, expands and merges the configuration layers. */
export function loadConfig(deps: ConfigSources): LoadedConfig {
  const found = deps.inline === undefined ? readLayers(deps.locations) : [inlineLayer(deps.inline)];
  for (const { file, values } of found) validateLayer(CONFIG_SCHEMA, values, file);
  const mode = effectiveMode(found, deps.trust);
  const { layers, untrusted, warnings } = lowerLimits(
    applyTrust(found, { ...deps.trust, mode }),
    mode,
    deps.defaultConcurrency,
  );
  const expanded = layers.map((layer) => ({
    origin: layer,
    // In mode refuse, an untrusted file cannot read the environment.
    values: expandLayer(layer, mode === 'refuse' && untrusted.has(layer) ? {} : deps.env),
  }));
  const origins = mergeLayers(expanded);
  const { values, originOf } = origins;
  const merged = values as AgentConfigFile;
  const { providers = {}, mcpServers = {}, restTools = {}, pricing = {}, defaults = {}, accounting } = merged;
  assertResolved([defaults, merged.queues, pricing, accounting]);
  const defaultsOf = <K extends 'approval' | 'guards'>(key: K): NonNullable<DefaultSettings[K]>[] =>
    expanded.flatMap(({ values: layer }) => {
      const value = (layer as AgentConfigFile).defaults?.[key];
      return value === undefined ? [] : [value];
    });
  const allWarnings = [...warnings];
  const warnOnce = (warning: string): void => {
    if (!allWarnings.includes(warning)) allWarnings.push(warning);
  };
  const reportForeign = (problem: Fault | undefined): void => {
    if (problem === undefined) return;
    if (mode === 'refuse') throw problem;
    warnOnce(`${problem.message} ${problem.hint ?? ''}`.trim());
  };
  return {
    files: layers.map(({ file }) => file),
    digest: sha256(JSON.stringify(layers.map(({ file, text, envText }) => [file, text, envText]))),
    warnings: allWarnings,
    defaults,
    queues: completeQueues(merged, deps.defaultConcurrency, originOf),
    pricing,
    approval: defaultsOf('approval').filter((rules) => rules.length > 0),
    guards: defaultsOf('guards').flat(),
    accountingFile: accounting?.file,
    providerNames: Object.keys(providers),
    serverNames: Object.keys(mcpServers),
    restToolNames: Object.keys(restTools),
    provider: (name) => {
      const settings = pick('provider', providers, name);
      reportForeign(findForeignProvider(name, origins));
      return settings;
    },
    server: (name) => {
      const settings = pick('tool server', mcpServers, name);
      reportForeign(findForeignServer(name, settings, origins));
      describeUnset(name, settings, serverSource(name, originOf), deps.env).forEach(warnOnce);
      return settings;
    },
    serverSource: (name) => serverSource(name, originOf),
    restTool: (name) => {
      checkRestTool(name, restTools[name]);
      const settings = pick('REST tool', restTools, name);
      reportForeign(findForeignRestTool(name, origins));
      return { ...settings };
    },
  };
}

function pick<T>(kind: string, table: Readonly<Record<string, T>>, name: string): T {
  const value = ownMember(table, name);
  if (value === undefined) throw unknownName(kind, name, Object.keys(table));
  assertResolved(value);
  return value;
}

function expandLayer(layer: ConfigLayer, env: Variables): unknown {
  return expandTree(layer.values, { layer: layer.file, variables: [layer.variables, env], isProtected });
}

/** Returns whether a path is expanded later: the env and headers of a server are expanded when it starts. */
function isProtected([section, , field]: readonly string[]): boolean {
  return section === 'mcpServers' && (field === 'env' || field === 'headers');
}
