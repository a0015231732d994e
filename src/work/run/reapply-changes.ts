import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSameEntry } from '../workspace/list-changes.ts';
import { Fault } from '../../base/fault.ts';
import type { WorkContext } from '../work-context.ts';
import { findEntry } from '../workspace/manifest.ts';
import { readManifest } from '../workspace/manifest-store.ts';
import { indexObjects, readObject, type ObjectIndex } from '../workspace/object-store.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import { placeFile } from '../workspace/place-file.ts';
import type { TreeChange, TreeEntry, Workspace } from '../workspace/workspace.ts';

/**
 * Makes the changes of an earlier run again, in a new workspace, all or none. Returns why the changes cannot be made, or undefined if they were made. Changes that
 * the tree already has are skipped. They are made by a command inside the sandbox, which has the rights of the agent.
 */
export async function reapplyChanges(
  context: Pick<WorkContext, 'workspace'>,
  workspace: Workspace,
  changes: readonly TreeChange[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const base = readManifest(context.workspace, workspace.base.hash);
  const index = indexObjects(context.workspace);
  const missing: TreeChange[] = [];
  for (const change of changes) {
    const now = findEntry(base, change.path);
    if (isSame(now, change.after)) continue;
    // Ignored paths are not in the manifest.
    if (change.ignored !== true && !isSame(now, change.before)) return `${change.path} was changed since`;
    if (change.after?.hash && !index.has(change.after.hash)) return `${change.path} is no longer stored`;
    missing.push(change);
  }
  if (missing.length > 0) await runScript(workspace, renderScript(context, workspace, missing, index), env);
  return undefined;
}

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one === undefined || other === undefined ? one === other : isSameEntry(one, other);
}

/** Writes the contents to the scratch folder and renders the commands that put them in place: deletions first. */
function renderScript(
  context: Pick<WorkContext, 'workspace'>,
  workspace: Workspace,
  changes: readonly TreeChange[],
  index: ObjectIndex,
): string {
  const folder = 'reapplied';
  removeFolder(join(workspace.scratch.host, folder));
  mkdirSync(join(workspace.scratch.host, folder), { mode: 0o755 });
  const removals = changes.map(({ path }) => `rm -rf -- ${inTree(path)}`);
  const creations = changes.flatMap(({ path, after }, number) => {
    if (after === undefined) return [];
    const parent = `mkdir -p -- ${inTree(dirname(path))}`;
    if (after.type === 'dir') return [parent, `mkdir -p -- ${inTree(path)}`];
    const content = readObject(context.workspace, after.hash, index);
    if (after.type === 'symlink')
      return [parent, `ln -s -- ${quoteForShell(content.toString('utf8'))} ${inTree(path)}`];
    placeFile(join(workspace.scratch.host, folder, String(number)), content, 0o644);
    const source = quoteForShell(join(workspace.scratch.inside, folder, String(number)));
    return [
      parent,
      `cp -- ${source} ${inTree(path)}`,
      `chmod ${after.mode.toString(8).padStart(3, '0')} ${inTree(path)}`,
    ];
  });
  return ['set -e', ...removals, ...creations, ''].join('\n');
}

function inTree(path: string): string {
  return quoteForShell(`./${path}`);
}

async function runScript(
  workspace: Workspace,
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const child = workspace.spawn(['/bin/sh', '-s'], { env, layer: 'run', network: false });
  let message = '';
  child.stderr.on('data', (chunk: Buffer) => (message += chunk.toString('utf8').slice(0, 500)));
  child.stdout.resume();
  child.stdin.end(script);
  const { exitCode } = await child.ended;
  if (exitCode === 0) return;
  throw new Fault(
    'E_IO',
    `Cannot repeat the changes of the earlier run: ${message.trim() || `exit ${exitCode}`}.`,
    {
      hint: 'Run the item again instead: its description and the comment are in "deed work show".',
    },
  );
}
