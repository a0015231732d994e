import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder } from '../../../system/remove-folder.ts';
import { isWithin } from '../resolve-tree.ts';
import type { OverlayMount } from '../sandbox/mount-script.ts';
import type { SandboxPlan } from '../sandbox/render-sandbox.ts';
import { BASE_OBJECTS_INSIDE, type Tree } from '../tree.ts';
import type { WorkspaceRecord } from '../workspace-record.ts';

const FOLDERS = [
  'lower',
  'upper',
  'work',
  'merged',
  'tmp',
  'home',
  'scratch',
  'git/lower',
  'git/upper',
  'git/work',
  'git/merged',
];

/** Creates the folders of an overlay; existing ones are kept. */
export function createOverlayFolders(folder: string, tree: Tree): void {
  const shared = sharedFolders(tree);
  const inner = shared.flatMap(({ at }) =>
    ['lower', 'upper', 'work', 'merged'].map((name) => `${at}${name}`),
  );
  for (const name of [...FOLDERS, ...inner]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  for (const name of ['upper', 'tmp', 'home', 'scratch', 'git/upper'])
    copyOwnerAndMode(tree.root, join(folder, name));
  for (const { at, source } of shared) copyOwnerAndMode(source, join(folder, `${at}upper`));
}

/** The folders that a private checkout takes from the user's tree: each is an overlay, so that writes there are dropped. */
function sharedFolders({ checkout }: Tree): readonly { source: string; name: string; at: string }[] {
  const { folders = [], root = '' } = checkout ?? {};
  const shared = folders.map((name, index) => ({ name, source: join(root, name), at: `shared/${index}/` }));
  // A folder may have been deleted while a run waited for approval.
  return shared.filter(({ source }) => existsSync(source));
}

/** The root of an overlay has the owner and mode of its upper folder, and commands run as the tree's owner. */
function copyOwnerAndMode(root: string, folder: string): void {
  const { uid, gid, mode } = statSync(root);
  chmodSync(folder, mode & 0o777);
  const own = statSync(folder);
  if (own.uid !== uid || own.gid !== gid) chownSync(folder, uid, gid);
}

/** A temporary layer on top of the run's writes. */
export interface Layer {
  readonly name: string;
  readonly temporary: string;
  readonly home: string;
}

export function createLayer(folder: string, tree: Tree): Layer {
  const name = 'layers/top';
  removeFolder(join(folder, name));
  const shared = sharedFolders(tree);
  const inside = shared.flatMap(({ at }) => [`${at}upper`, `${at}work`]);
  for (const inner of ['upper', 'work', 'tmp', 'home', 'git/upper', 'git/work', ...inside])
    mkdirSync(join(folder, name, inner), { recursive: true, mode: 0o700 });
  for (const inner of ['upper', 'tmp', 'home', 'git/upper'])
    copyOwnerAndMode(tree.root, join(folder, name, inner));
  for (const { at, source } of shared) copyOwnerAndMode(source, join(folder, name, `${at}upper`));
  return { name, temporary: `${name}/tmp`, home: `${name}/home` };
}

/** The overlays of a command: the tree, a repository outside it, and the folders that a checkout shares. */
export function listMounts(
  { tree }: WorkspaceRecord,
  layer: Layer | undefined,
  redirects: boolean,
): readonly OverlayMount[] {
  const mount = (source: string, at: string): OverlayMount => ({
    source,
    lower: `${at}lower`,
    upper: layer === undefined ? `${at}upper` : `${layer.name}/${at}upper`,
    work: layer === undefined ? `${at}work` : `${layer.name}/${at}work`,
    merged: `${at}merged`,
    ...(layer === undefined ? {} : { middle: `${at}upper` }),
  });
  return [
    { ...mount(tree.root, ''), redirects },
    ...(isWithin(tree.root, tree.commonFolder) ? [] : [mount(tree.commonFolder, 'git/')]),
    ...sharedFolders(tree).map(({ source, at }) => mount(source, at)),
  ];
}

/** What a private checkout takes from the user's tree, where commands see it. */
export function sharedBinds(folder: string, { tree, mountAt }: WorkspaceRecord): SandboxPlan['binds'] {
  if (tree.checkout === undefined) return [];
  return [
    { source: tree.checkout.objects, at: BASE_OBJECTS_INSIDE, writable: false },
    ...sharedFolders(tree).map(({ name, at }) => ({
      source: join(folder, `${at}merged`),
      at: join(mountAt, name),
      writable: true,
    })),
  ];
}

/** The repository of a linked worktree is outside the tree; it must be writable and discarded too. */
export function gitBinds(folder: string, { tree }: WorkspaceRecord): SandboxPlan['binds'] {
  if (isWithin(tree.root, tree.commonFolder)) return [];
  return [{ source: join(folder, 'git/merged'), at: tree.commonFolder, writable: true }];
}
