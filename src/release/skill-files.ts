import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import type { SkillFile } from './unpack-release.ts';

const MAX_FILES = 5000;

/** Reads the Skill of an installed package. */
export function readSkillFiles(folder: string): SkillFile[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
      entry.isFile(),
    );
    if (entries.length > MAX_FILES) {
      throw new Fault('E_IO', `${folder} has more than ${MAX_FILES} files, the limit for a Skill.`, {
        details: { path: folder },
      });
    }
    return entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return {
        path: relative(folder, path).split(sep).join('/'),
        executable: (statSync(path).mode & 0o100) !== 0,
        content: readFileSync(path),
      };
    });
  } catch (error) {
    throw faultFromSystem(error, 'read the Skill in', folder);
  }
}
