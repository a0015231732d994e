import { ownMember } from '../../base/own-member.ts';
import { isPlainObject } from '../../base/json.ts';
import { DEFAULT_CONTEXT, DEFAULT_LIMITS } from '../session-config.ts';
import type { ConfigLayer } from './config-layers.ts';
import type { TrustedLayers, TrustPolicy } from './layer-trust.ts';

/** The limits of a session, with what applies if no file sets them; undefined means unlimited, so any value lowers it. */
const LIMITS: Readonly<Record<string, number | undefined>> = {
  ...DEFAULT_LIMITS,
  toolTimeout: DEFAULT_LIMITS.toolTimeoutMs,
  llmTimeout: DEFAULT_LIMITS.llmTimeoutMs,
  maxOutputTokens: DEFAULT_CONTEXT.maxOutputTokens,
  maxCostUsd: undefined,
  maxTotalTokens: undefined,
  maxDurationMs: undefined,
};

type Path = readonly [section: 'defaults' | 'queues', name: string];

/**
 * Handles limits that an untrusted file raises above the limits of trusted files and the defaults: mode `refuse` removes them, mode `warn`
 * keeps them. Both modes add a warning with the two values.
 */
export function lowerLimits(
  { layers, untrusted, warnings }: TrustedLayers,
  mode: TrustPolicy['mode'],
  defaultConcurrency: number,
): TrustedLayers {
  const trusted = layers.filter((layer) => !untrusted.has(layer));
  const added: string[] = [];
  const stillUntrusted = new Set<ConfigLayer>();
  const kept = layers.map((layer) => {
    if (!untrusted.has(layer)) return layer;
    const raised = limitPaths(layer).flatMap((path) => {
      const [value, bound] = [readLimit(layer, path), boundOf(trusted, path, defaultConcurrency)];
      return value !== undefined && bound !== undefined && value > bound.value
        ? [{ path, value, bound }]
        : [];
    });
    for (const { path, value, bound } of raised) {
      const what = `${layer.file} is not trusted and raises ${path.join('.')} from ${bound.value} (${bound.source}) to ${value}`;
      added.push(mode === 'warn' ? `${what}; ${value} is used.` : `${what}; ${bound.value} is used.`);
    }
    const paths = raised.map(({ path }) => path);
    const lowered = mode === 'warn' ? layer : { ...layer, values: without(layer.values, paths) };
    stillUntrusted.add(lowered);
    return lowered;
  });
  return { layers: kept, untrusted: stillUntrusted, warnings: [...warnings, ...added] };
}

function limitPaths({ values: { queues } }: ConfigLayer): readonly Path[] {
  const names = isPlainObject(queues) ? Object.keys(queues) : [];
  return [
    ...Object.keys(LIMITS).map((name): Path => ['defaults', name]),
    ...names.map((name): Path => ['queues', name]),
  ];
}

function readLimit({ values }: ConfigLayer, [section, name]: Path): number | undefined {
  const found = values[section];
  const entry = isPlainObject(found) ? ownMember(found, name) : undefined;
  const value = section === 'queues' && isPlainObject(entry) ? entry.concurrent : entry;
  return typeof value === 'number' ? value : undefined;
}

/** The limit without untrusted files: of the first trusted file that sets it, or the default. */
function boundOf(
  trusted: readonly ConfigLayer[],
  path: Path,
  defaultConcurrency: number,
): { readonly value: number; readonly source: string } | undefined {
  for (const layer of trusted) {
    const value = readLimit(layer, path);
    if (value !== undefined) return { value, source: layer.file };
  }
  const [section, name] = path;
  // A new queue is only for tools of its own file, which are ignored in mode refuse.
  const value =
    section === 'defaults' ? ownMember(LIMITS, name) : name === 'default' ? defaultConcurrency : undefined;
  return value === undefined ? undefined : { value, source: 'the default' };
}

function without(values: ConfigLayer['values'], paths: readonly Path[]): ConfigLayer['values'] {
  return Object.fromEntries(
    Object.entries(values).map(([section, content]) => {
      const removed = paths.filter(([from]) => from === section).map(([, name]) => name);
      if (removed.length === 0 || !isPlainObject(content)) return [section, content];
      return [
        section,
        Object.fromEntries(Object.entries(content).filter(([name]) => !removed.includes(name))),
      ];
    }),
  );
}
