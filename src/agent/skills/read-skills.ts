import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { splitFrontmatter } from '../../base/split-frontmatter.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';

/** A folder with instructions that a model loads when it needs them. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly folder: string;
}

const FILE = 'SKILL.md';
const MAX_BYTES = 1024 * 1024;
const MAX_SKILLS = 200;
const MAX_DESCRIPTION = 1024;

/** Reads names and descriptions of skills. Each path is a folder with SKILL.md, or a folder of such folders. Throws a Fault for a path without any. */
export async function readSkills(paths: readonly string[], base: string): Promise<readonly Skill[]> {
  const skills: Skill[] = [];
  for (const path of paths)
    for (const folder of foldersOf(resolve(base, path))) skills.push(await readFrontmatter(folder));
  const names = skills.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw invalid(repeated, 'two skills have this name');
  if (skills.length > MAX_SKILLS) throw invalid(paths.join(', '), `there are more than ${MAX_SKILLS} skills`);
  return skills;
}

/** Reads a file of a skill, by default its instructions. Throws an Error for a file outside its folder. */
export function readSkillFile({ folder, name }: Skill, file: string = FILE): string {
  const path = resolve(folder, file);
  if (!existsSync(path)) throw new Error(`the skill ${name} has no file ${file}`);
  // A link must not lead out of the folder either.
  if (!realpathSync(path).startsWith(realpathSync(folder) + sep))
    throw new Error(`${file} is outside the folder of the skill ${name}`);
  const text = readFileIfPresent(path, MAX_BYTES) ?? '';
  return file === FILE ? splitFrontmatter(text).body : text;
}

function foldersOf(path: string): readonly string[] {
  if (existsSync(join(path, FILE))) return [path];
  const inner = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path).toSorted() : [];
  const folders = inner.map((name) => join(path, name)).filter((folder) => existsSync(join(folder, FILE)));
  if (folders.length === 0) throw invalid(path, `it contains no ${FILE}`);
  return folders;
}

async function readFrontmatter(folder: string): Promise<Skill> {
  const { yaml } = splitFrontmatter(readFileIfPresent(join(folder, FILE), MAX_BYTES) ?? '');
  let frontmatter: unknown;
  try {
    frontmatter = yaml === undefined ? {} : (await import('yaml')).parse(yaml);
  } catch (error) {
    throw invalid(folder, `the frontmatter of ${FILE} is not valid YAML`, error);
  }
  if (!isPlainObject(frontmatter) || typeof frontmatter.description !== 'string')
    throw invalid(folder, `${FILE} has no description`);
  const name = typeof frontmatter.name === 'string' ? frontmatter.name : basename(folder);
  return { name, description: excerpt(frontmatter.description, MAX_DESCRIPTION), folder };
}

function invalid(path: string, problem: string, cause?: unknown): Fault {
  return new Fault('E_CONFIG', `Invalid skill ${path}: ${problem}.`, {
    hint: `A skill is a folder with ${FILE}: YAML with name and description between two --- lines, then instructions.`,
    details: { setting: 'skills', path },
    cause,
  });
}
