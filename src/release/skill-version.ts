import { parseVersion, renderVersion } from './version.ts';

/** Reads from a Skill's front matter the oldest version it works with; nothing when it names none. */
export function parseSkillMinVersion(markdown: string): string | undefined {
  const frontMatter = /^---\r?\n([\s\S]*?)\r?\n---\s*(?:\r?\n|$)/u.exec(markdown)?.[1];
  if (frontMatter === undefined) return undefined;
  let inside = false;
  for (const line of frontMatter.split(/\r?\n/u)) {
    if (/^\S/u.test(line)) inside = line.startsWith('requires:');
    if (!inside) continue;
    // Both forms of YAML: a line of its own, or `requires: { min_version: 0.1.0 }`.
    const text = /(?:^\s+|[{,]\s*)min_version:\s*["']?([^"',}\s#]+)/u.exec(line)?.[1];
    const version = text === undefined ? undefined : parseVersion(text);
    if (version !== undefined) return renderVersion(version);
  }
  return undefined;
}
