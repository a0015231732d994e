import { ownMember } from '../../base/own-member.ts';

/**
 * Parses `NAME=value` lines with comments, `export`, and single or double quotes; double quotes support escapes such as `\n` and
 * `\"`. Values are never expanded, so that a secret may contain a dollar sign. `parseEnv` of node:util is not used: it cuts a value at
 * `#`, and Node and Bun parse `\"` and a byte order mark differently.
 */
export function parseEnvFile(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of text.replace(/^\uFEFF/u, '').split(/\r?\n/u)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/u.exec(line);
    if (match === null) continue;
    const [, name = '', raw = ''] = match;
    values[name] = readValue(raw);
  }
  return values;
}

function readValue(raw: string): string {
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')(?:\s+#.*)?$/u.exec(raw);
  if (quoted === null) return raw.replace(/(?:^|\s+)#.*$/u, '');
  const [, double, single] = quoted;
  if (single !== undefined) return single;
  return (double ?? '').replaceAll(
    /\\(.)/gu,
    (_, character: string) => ownMember(ESCAPES, character) ?? character,
  );
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
