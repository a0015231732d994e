import { parseVersion, renderVersion } from './version.ts';

/** Reads the minimum version from the frontmatter of a Skill; undefined when there is none. */
export function parseSkillMinVersion(markdown: string): string | undefined {
  const frontmatter = /^---\r?\n([\s\S]*?)\r?\n---\s*(?:\r?\n|$)/u.exec(markdown)?.[1];
  if (frontmatter === undefined) return undefined;
  let inside = false;
  for (const line of frontmatter.split(/\r?\n/u)) {
    if (/^\S/u.test(line)) inside = line.startsWith('requires:');
    if (!inside) continue;
    // Both YAML styles: a separate line, or `requires: { min_version: 0.1.0 }`.
    const text = /(?:^\s+|[{,]\s*)min_version:\s*["']?([^"',}\s#]+)/u.exec(line)?.[1];
    const version = text === undefined ? undefined : parseVersion(text);
    if (version !== undefined) return renderVersion(version);
  }
  return undefined;
}
