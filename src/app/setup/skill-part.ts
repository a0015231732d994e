import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../system/digest.ts';
import type { System } from '../../contract/system.ts';
import type { SkillFolders } from '../../release/sync-skill.ts';
import type { SkillFile } from '../../release/unpack-release.ts';
import { readBytesIfPresent } from '../../system/durable-file.ts';
import { HOSTS } from './host-parts.ts';
import type { SetupHost } from './setup-part.ts';

/** The shared folder, which all hosts but Claude Code read, and the link of Claude Code: the end state of `npx skills add`. */
export function skillFolders(hosts: readonly SetupHost[], system: System): SkillFolders {
  return {
    canonical: join(system.userHome, '.agents/skills/deed'),
    linked: hosts.includes('claude') ? [join(HOSTS.claude.folder(system), 'skills/deed')] : [],
  };
}

/** The folders that do not have this version of the Skill. */
export function outdatedSkillFolders(
  { canonical, linked }: SkillFolders,
  files: readonly SkillFile[],
): readonly string[] {
  const isCurrent = (folder: string): boolean =>
    files.every(({ path, content }) => readBytesIfPresent(join(folder, path))?.equals(content) ?? false);
  return [
    ...(isCurrent(canonical) ? [] : [canonical]),
    ...linked.filter((link) => !(existsSync(link) && isCurrent(realpathSync(link)))),
  ];
}

/** The version of a Skill folder for the token of a plan; null if there is none. */
export function skillVersion(folder: string): string | null {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return null;
  const text = readBytesIfPresent(join(folder, 'SKILL.md'));
  return text === undefined ? 'empty' : sha256(text);
}
