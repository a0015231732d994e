import { join } from 'node:path';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { parseSkillMinVersion } from '../../release/skill-version.ts';
import { SKILL_SYNC_COMMAND } from '../../release/sync-skill.ts';
import { isNewer } from '../../release/version.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { findProgram } from '../../system/find-program.ts';

/** Checks that the installed Skill does not require a newer version of deed. */
export const checkSkill: Checker = ({ tool, system }) => {
  const file = join(system.userHome, '.agents/skills', tool.name, 'SKILL.md');
  const text = readFileIfPresent(file);
  // Without Node, the executable installs the Skill that it contains.
  const hasNpx = findProgram('npx', system.env.PATH ?? '') !== undefined;
  const install = hasNpx ? SKILL_SYNC_COMMAND : `${tool.name} setup codex --parts skill --dry-run`;
  if (text === undefined) return warn('skill', 'The Skill is not installed.', install);
  const required = parseSkillMinVersion(text);
  if (required === undefined)
    return warn('skill', `${file} does not contain the version that it requires.`, install);
  if (isNewer(required, tool.version)) {
    return fail(
      'skill',
      `The Skill requires version ${required}; this is ${tool.version}.`,
      `${tool.name} update`,
    );
  }
  return pass('skill', `The Skill requires version ${required} or newer; this is ${tool.version}.`);
};
