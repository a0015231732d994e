import { fileURLToPath } from 'node:url';
import { readSkillFiles } from '../../release/skill-files.ts';
import type { SkillFile } from '../../release/unpack-release.ts';

declare const __DEED_SKILL__: Readonly<Record<string, string>>;

/** The Skill of this version. The executable contains it, so that it can be installed from a single file without a network. */
export function bundledSkill(): readonly SkillFile[] {
  if (typeof __DEED_SKILL__ === 'undefined')
    return readSkillFiles(fileURLToPath(new URL('../../../skills/deed', import.meta.url)));
  return Object.entries(__DEED_SKILL__).map(([path, text]) => ({
    path,
    executable: false,
    content: Buffer.from(text),
  }));
}
