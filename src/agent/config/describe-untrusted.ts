import { basename, dirname } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { excerpt, printable } from '../../base/text.ts';
import type { ConfigLayer } from './config-layers.ts';

const MAX_EXAMPLES = 3;

/** Describes what an untrusted file makes an agent start and send, and how to trust or refuse it. */
export function describeUntrusted(layer: ConfigLayer): string {
  const { values } = layer;
  const starts = textsOf(values.mcpServers, ({ command, args }) =>
    typeof command === 'string' ? [command, ...(Array.isArray(args) ? args : [])].join(' ') : undefined,
  );
  const sends = [
    ...textsOf(values.providers, ({ baseUrl }) => baseUrl),
    ...textsOf(values.mcpServers, ({ url }) => url),
    ...textsOf(values.restTools, ({ url }) => url),
  ];
  return [
    ...(starts.length > 0 ? [`It starts ${list(starts)}.`] : []),
    ...(sends.length > 0 ? [`It sends data to ${list(sends)}.`] : []),
    `To trust it, run ${trustCommand(layer)};`,
    'to refuse all such files, set "trust": "strict" in ~/.ai-agent/ai-agent.json.',
  ].join(' ');
}

/** Returns the command that trusts a layer, with its two steps. */
export function trustCommand({ file }: ConfigLayer): string {
  const command = `deed config trust ${dirname(file)} --file ${basename(file)}`;
  return `"${command} --dry-run" and then the same with --confirm <token> in place of --dry-run`;
}

function textsOf(
  section: unknown,
  read: (entry: Readonly<Record<string, unknown>>) => unknown,
): readonly string[] {
  const entries = isPlainObject(section) ? Object.values(section) : [];
  return entries
    .map((entry) => (isPlainObject(entry) ? read(entry) : undefined))
    .filter((text) => typeof text === 'string');
}

function list(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  const shown = distinct.slice(0, MAX_EXAMPLES).map((text) => `"${printable(excerpt(text, 100))}"`);
  const more = distinct.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
