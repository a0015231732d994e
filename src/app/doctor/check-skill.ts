import { join } from 'node:path';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { parseSkillMinVersion } from '../../release/skill-version.ts';
import { SKILL_SYNC_COMMAND } from '../../release/sync-skill.ts';
import { isNewer } from '../../release/version.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';

/** The Skill that agents read was not written for a newer version than this one. */
export const checkSkill: Checker = ({ tool, system }) => {
  const file = join(system.userHome, '.agents/skills', tool.name, 'SKILL.md');
  const text = readFileIfPresent(file);
  if (text === undefined) return warn('skill', 'No Skill is installed for agents.', SKILL_SYNC_COMMAND);
  const needed = parseSkillMinVersion(text);
  if (needed === undefined)
    return warn('skill', `${file} does not say which version it needs.`, SKILL_SYNC_COMMAND);
  if (isNewer(needed, tool.version)) {
    return fail('skill', `The Skill needs ${needed}; this is ${tool.version}.`, `${tool.name} update`);
  }
  return pass('skill', `The Skill needs ${needed} or newer; this is ${tool.version}.`);
};
