import { lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { sha256 } from '../../system/digest.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Change } from '../../contract/plan.ts';
import type { System } from '../../contract/system.ts';
import { installSkill } from '../../release/sync-skill.ts';
import { withLock } from '../../system/lock.ts';
import { isTemporary } from '../vybe-program.ts';
import {
  applyFileChange,
  missingFolders,
  removeAbandonedSkills,
  removeCreatedFolders,
  removeLeftovers,
} from './apply-setup.ts';
import { bundledSkill } from './bundled-skill.ts';
import { findHosts, HOSTS } from './host-parts.ts';
import { planEach, planFiles, planUndo, type FileChange, type SkippedHost } from './plan-setup.ts';
import type { FilePart, PartName, SetupHost } from './setup-part.ts';
import { forgetReplaced, keepReplaced, restoreReplaced } from './replaced-skills.ts';
import { readSetupRecord, writeSetupRecord, type ChangedFile, type SetupRecord } from './setup-record.ts';
import { outdatedSkillFolders, skillFolders, skillVersion } from './skill-part.ts';

/** What to set up: by default all parts for all hosts of this account. */
export interface SetupScope {
  readonly hosts: readonly SetupHost[];
  readonly parts: readonly PartName[];
}

export interface SetupPlan {
  readonly files: readonly FileChange[];
  /** Skill folders that are written or linked. */
  readonly skill: readonly string[];
  /** Skill folders that an undo restores. */
  readonly restored?: readonly string[];
  /** Hosts that stay as they are, each with the reason. */
  readonly skipped?: readonly SkippedHost[];
}

/** Returns the hosts that a call names, or all hosts of this account. */
export function chosenHosts(named: readonly SetupHost[] | undefined, system: System): readonly SetupHost[] {
  const hosts = named ?? findHosts(system);
  if (hosts.length > 0) return hosts;
  throw new Fault('E_NOT_FOUND', 'No coding agent was found for this account.', {
    hint: `Install one, or name it: --hosts ${Object.keys(HOSTS).join(',')}`,
    details: { hosts: Object.keys(HOSTS) },
  });
}

/** Plans to add the missing parts. A host whose files cannot be changed does not stop the others. Contract: reads only. */
export function planSetup({ hosts, parts }: SetupScope, { system, home }: CommandContext): SetupPlan {
  const record = readSetupRecord(home);
  const { files, skipped } = planEach(
    hosts.map((host) => ({ host })),
    ({ host }) => {
      const all = partsOf([host], system);
      return planFiles(
        all.filter(({ part }) => parts.includes(part)),
        all,
        record,
      );
    },
  );
  const folders = skillFolders(withoutSkipped(hosts, skipped), system);
  return {
    files,
    skill: parts.includes('skill') ? outdatedSkillFolders(folders, bundledSkill()) : [],
    skipped,
  };
}

function withoutSkipped(hosts: readonly SetupHost[], skipped: readonly SkippedHost[] = []): SetupHost[] {
  return hosts.filter((host) => skipped.every((other) => other.host !== host));
}

/** Adds the missing parts. The changes are recorded first, so that an undo works after a crash at any moment. */
export async function applySetup(
  scope: SetupScope,
  planned: SetupPlan,
  context: CommandContext,
): Promise<readonly Change[]> {
  const { system, home, signal } = context;
  assertPermanent(system);
  return inLock(context, async () => {
    const plan = planSetup(scope, context);
    const changes = assertSame(planned, plan);
    const record = readSetupRecord(home);
    const paths = [...plan.files.map(({ path }) => path), ...plan.skill];
    removeLeftovers(paths);
    const known = new Set([...record.skill, ...record.replaced]);
    const unknown = plan.skill.filter((folder) => !known.has(folder));
    const replaced = unknown.filter(isPresent);
    for (const folder of replaced) keepReplaced(home, folder);
    writeSetupRecord(home, {
      files: replaceFiles(record, plan.files),
      skill: [...record.skill, ...unknown.filter((folder) => !isPresent(folder))],
      replaced: [...record.replaced, ...replaced],
      folders: [...new Set([...record.folders, ...missingFolders(paths)])],
    });
    for (const change of plan.files) applyFileChange(change);
    if (plan.skill.length > 0) {
      const hosts = withoutSkipped(scope.hosts, plan.skipped);
      await installSkill(bundledSkill(), skillFolders(hosts, system), signal);
    }
    return changes.filter(({ action }) => action !== 'skip');
  });
}

/** Plans to remove what setup added for hosts. A file that cannot be read stays, and stays recorded. Contract: reads only. */
export function planSetupUndo(hosts: readonly SetupHost[], { system, home }: CommandContext): SetupPlan {
  const record = readSetupRecord(home);
  const parts = partsOf(hosts, system);
  const own = record.files.filter(({ host }) => hosts.includes(host));
  const { files, skipped } = planEach(own, (file) => planUndo([file], parts));
  const isAll = files.length === record.files.length;
  const { linked } = skillFolders(hosts, system);
  const isUnused = (folder: string): boolean => linked.includes(folder) || isAll;
  return {
    files,
    skill: record.skill.filter(isUnused),
    restored: record.replaced.filter(isUnused),
    skipped,
  };
}

/** Restores the files as they were before setup. */
export async function applySetupUndo(
  hosts: readonly SetupHost[],
  planned: SetupPlan,
  context: CommandContext,
): Promise<readonly Change[]> {
  return inLock(context, () => {
    const plan = planSetupUndo(hosts, context);
    const changes = assertSame(planned, plan, true);
    const record = readSetupRecord(context.home);
    for (const change of plan.files) applyFileChange(change);
    const { restored = [] } = plan;
    for (const folder of plan.skill) rmSync(folder, { recursive: true, force: true });
    for (const folder of restored) restoreReplaced(context.home, folder);
    removeLeftovers(record.files.map(({ path }) => path));
    removeAbandonedSkills([...plan.skill, ...restored]);
    const folders = removeCreatedFolders(record.folders);
    writeSetupRecord(context.home, {
      files: replaceFiles(record, plan.files),
      skill: record.skill.filter((folder) => !plan.skill.includes(folder)),
      replaced: record.replaced.filter((folder) => !restored.includes(folder)),
      folders,
    });
    forgetReplaced(context.home, restored);
    return changes.filter(({ action }) => action !== 'skip');
  });
}

/** The changes of a plan, as previews show them: for each file what is added or removed. */
export function changesOf(
  { files, skill, restored = [], skipped = [] }: SetupPlan,
  isUndo = false,
): readonly Change[] {
  return [
    ...files.map(({ path, parts, before, after }) => ({
      action: actionOf(before, after),
      resource: 'file',
      id: path,
      after: { host: parts[0]?.host ?? null, parts: parts.map(({ part }) => part).join(', ') },
      version: before === undefined ? null : sha256(before),
    })),
    ...skill.map((folder) => ({
      action: isUndo ? 'delete' : isPresent(folder) ? 'replace' : 'create',
      resource: 'skill',
      id: folder,
      version: skillVersion(folder),
    })),
    ...restored.map((folder) => ({
      action: 'restore',
      resource: 'skill',
      id: folder,
      version: skillVersion(folder),
    })),
    ...skipped.map(({ host, fault }) => ({
      action: 'skip',
      resource: 'agent',
      id: HOSTS[host].title,
      after: { host, reason: fault.message },
      version: null,
    })),
  ];
}

export function partsOf(hosts: readonly SetupHost[], system: System): readonly FilePart[] {
  return hosts.flatMap((host) => HOSTS[host].parts(HOSTS[host].folder(system), system));
}

function actionOf(before: string | undefined, after: string | undefined): string {
  if (before === after) return 'none';
  if (after === undefined) return 'delete';
  return before === undefined ? 'create' : 'edit';
}

function replaceFiles({ files }: SetupRecord, changes: readonly FileChange[]): readonly ChangedFile[] {
  const paths = new Set(changes.map(({ path }) => path));
  return [
    ...files.filter(({ path }) => !paths.has(path)),
    ...changes.flatMap(({ recorded }) => (recorded === undefined ? [] : [recorded])),
  ];
}

/** The files belong to programs that may be running, so they are compared again right before the change. Returns the changes. */
function assertSame(planned: SetupPlan, now: SetupPlan, isUndo = false): readonly Change[] {
  const changes = changesOf(now, isUndo);
  if (JSON.stringify(changesOf(planned, isUndo)) === JSON.stringify(changes)) return changes;
  throw new Fault('E_CONFLICT', 'A file of the plan has changed meanwhile.', {
    hint: 'Close the coding agents, then repeat the dry run.',
    unchanged: true,
  });
}

function inLock<T>({ home }: CommandContext, action: () => T | Promise<T>): Promise<T> {
  home.folder();
  return withLock(home.at('setup.lock'), action, { nothingChangedYet: true });
}

/** The cache of npx can be deleted at any time, and hosts would then call a program that does not exist. */
function assertPermanent(system: System): void {
  if (!isTemporary(system)) return;
  throw new Fault('E_CONFIG', `deed runs from the cache of npx (${dirname(system.executable.path)}).`, {
    hint: 'Install it first: npm install --global deed-cli',
    details: { path: system.executable.path },
  });
}

function isPresent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
