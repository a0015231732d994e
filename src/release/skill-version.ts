import { splitFrontmatter } from '../base/split-frontmatter.ts';
import { parseVersion, renderVersion } from './version.ts';

/** Reads the minimum version from the frontmatter of a Skill; undefined when there is none. */
export function parseSkillMinVersion(markdown: string): string | undefined {
  const { yaml } = splitFrontmatter(markdown);
  if (yaml === undefined) return undefined;
  let inside = false;
  for (const line of yaml.split('\n')) {
    if (/^\S/u.test(line)) inside = line.startsWith('requires:');
    if (!inside) continue;
    // Both YAML styles: a separate line, or `requires: { min_version: 0.1.0 }`.
    const text = /(?:^\s+|[{,]\s*)min_version:\s*["']?([^"',}\s#]+)/u.exec(line)?.[1];
    const version = text === undefined ? undefined : parseVersion(text);
    if (version !== undefined) return renderVersion(version);
  }
  return undefined;
}
