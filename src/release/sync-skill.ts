import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import { removeAbandonedSiblings, temporarySibling } from '../system/temporary-sibling.ts';
import type { SkillFile } from './unpack-release.ts';

/** The command that installs the same Skill by hand. */
export const SKILL_SYNC_COMMAND = 'npx skills add deed-cli/deed -y -g';

const SKILL_NAME = 'deed';

export interface SkillContext {
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Skill folders of further agents, with one subfolder per skill; `~` is the home of the user. */
  readonly skillFolders: readonly string[];
  readonly signal: AbortSignal;
}

/** The folders where agents look for the Skill: the shared one, and that of Claude Code if it is installed. */
export interface SkillFolders {
  readonly canonical: string;
  readonly linked: readonly string[];
}

/** Returns the folders that a sync updates. */
export function locateSkillFolders(context: Omit<SkillContext, 'signal'>): SkillFolders {
  const claude = context.env.CLAUDE_CONFIG_DIR?.trim() || join(context.userHome, '.claude');
  const parents = [
    ...(existsSync(claude) ? [join(claude, 'skills')] : []),
    ...context.skillFolders.map((folder) =>
      resolve(context.userHome, folder.replace(/^~(?=\/|$)/u, context.userHome)),
    ),
  ];
  const canonical = join(context.userHome, '.agents', 'skills', SKILL_NAME);
  return {
    canonical,
    linked: parents.map((parent) => join(parent, SKILL_NAME)).filter((path) => path !== canonical),
  };
}

/**
 * Installs the Skill: the canonical folder is swapped, and the folders of other agents become links to it, as with
 * `npx skills add`. After a failure or an abort the old Skill is still there; other skills are never touched.
 */
export async function syncSkill(
  files: readonly SkillFile[],
  context: SkillContext,
): Promise<readonly string[]> {
  return installSkill(files, locateSkillFolders(context), context.signal);
}

/** Like `syncSkill`, but installs into the given folders. */
export async function installSkill(
  files: readonly SkillFile[],
  { canonical, linked }: SkillFolders,
  signal: AbortSignal,
): Promise<readonly string[]> {
  await swapFolder(canonical, files, signal);
  for (const link of linked) linkTo(canonical, link);
  return [canonical, ...linked];
}

async function swapFolder(target: string, files: readonly SkillFile[], signal: AbortSignal): Promise<void> {
  const fresh = temporarySibling(target, 'new');
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
    await writeFiles(fresh, files, signal);
    swapIn(fresh, target);
  } catch (error) {
    throw faultFromSystem(error, 'install the Skill in', target);
  } finally {
    cleanUp(target, fresh);
  }
}

async function writeFiles(folder: string, files: readonly SkillFile[], signal: AbortSignal): Promise<void> {
  await mkdir(folder, { mode: 0o755 });
  for (const file of files) {
    if (signal.aborted) throw new Fault('E_INTERRUPTED', 'The Skill sync was interrupted.');
    const path = join(folder, file.path);
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await writeFile(path, file.content, { mode: file.executable ? 0o755 : 0o644, flag: 'wx', flush: true });
  }
}

/** Replaces the folder of an agent with a link to the canonical one, unless it is one already. */
function linkTo(canonical: string, link: string): void {
  const parent = dirname(link);
  const fresh = temporarySibling(link, 'new');
  try {
    mkdirSync(parent, { recursive: true, mode: 0o755 });
    if (existsSync(link) && realpathSync(link) === realpathSync(canonical)) return;
    // Relative to the real path of the parent; otherwise the link would be wrong where the parent itself is a link.
    symlinkSync(join(relative(realpathSync(parent), realpathSync(dirname(canonical))), SKILL_NAME), fresh);
    swapIn(fresh, link);
  } catch (error) {
    throw faultFromSystem(error, 'link the Skill at', link);
  } finally {
    cleanUp(link, fresh);
  }
}

/** Replaces the old folder or link with the new one, and restores the old one if that fails. */
function swapIn(fresh: string, target: string): void {
  const former = temporarySibling(target, 'old');
  if (!isPresent(target)) {
    renameSync(fresh, target);
    return;
  }
  renameSync(target, former);
  try {
    renameSync(fresh, target);
  } catch (error) {
    renameSync(former, target);
    throw error;
  }
  removeIfPossible(former);
}

function isPresent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A later sync removes it.
  }
}

function cleanUp(target: string, fresh: string): void {
  removeIfPossible(fresh);
  // If a sync was killed during the swap, the old Skill is the only copy.
  removeAbandonedSiblings(target, existsSync(target) ? ['new', 'old'] : ['new']);
}
