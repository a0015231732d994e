import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { faultFromSystem } from '../../base/system-fault.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { runGit } from './git.ts';
import { findDamagedPack, indexObjects, readObject, type ObjectIndex } from './object-store.ts';
import type { TreeChange, TreeEntry, WorkspaceContext } from './workspace.ts';

/** The lines of one changed file. */
export interface FileDiff {
  readonly path: string;
  readonly action: TreeChange['action'];
  readonly type: TreeChange['type'];
  /** Null for a binary file, and where `omitted` says what is not known. */
  readonly added: number | null;
  readonly deleted: number | null;
  readonly omitted?: string;
}

export interface RenderedDiff {
  readonly files: readonly FileDiff[];
  /** The unified diff, as git prints it, after a comment for each file whose change it does not show, or not completely. */
  readonly text: string;
}

/** Renders stored changes as a unified diff: writes both sides to a private folder and compares them with git. */
export async function renderDiff(
  context: WorkspaceContext,
  changes: readonly TreeChange[],
): Promise<RenderedDiff> {
  ensurePrivateFolder(context.folder);
  const folder = createFolder(join(context.folder, 'diff-'));
  try {
    for (const side of SIDES) mkdirSync(join(folder, side));
    const index = indexObjects(context);
    const gaps = new Map<string, Gap>();
    for (const change of changes) {
      const gap = nameDamage(context, findGap(change, index));
      if (gap !== undefined) gaps.set(change.path, gap);
      if (gap?.isAll === true) continue;
      writeSides(context, folder, gap === undefined ? change : { ...change, before: undefined }, index);
    }
    const counts = parseCounts(await compare(context, folder, '--numstat', '-z'));
    const text = nameBothSides(await compare(context, folder, '--unified=3'));
    return {
      files: changes.map(({ path, action, type }) => describe({ path, action, type }, counts, gaps)),
      text: `${renderGaps(gaps)}${text}`,
    };
  } finally {
    removeFolder(folder);
  }
}

function createFolder(prefix: string): string {
  try {
    return mkdtempSync(prefix);
  } catch (error) {
    throw faultFromSystem(error, 'create a folder for the diff in', dirname(prefix));
  }
}

const SIDES = ['a', 'b'] as const;

/** What a diff does not show of a change. */
interface Gap {
  readonly reason: string;
  /** Whether nothing is shown; otherwise all of the new content is shown as added. */
  readonly isAll: boolean;
  readonly isMissing?: boolean;
}

function findGap({ before, after }: TreeChange, index: ObjectIndex): Gap | undefined {
  const large = [before, after].find((entry) => (entry?.size ?? 0) > WORK_LIMITS.diffFileBytes);
  if (large !== undefined) return { reason: `${large.size} bytes`, isAll: true };
  const isStored = (entry: TreeEntry | undefined): boolean => !entry?.hash || index.has(entry.hash);
  if (!isStored(after)) return { reason: 'its content is not stored', isAll: true, isMissing: true };
  // Others changed the file during the run, and git does not have its earlier content.
  if (!isStored(before))
    return {
      reason: 'its content before the run is not stored',
      isAll: after === undefined,
      isMissing: true,
    };
  return undefined;
}

/** Content that is missing may have been lost, not deleted by age. */
function nameDamage(context: WorkspaceContext, gap: Gap | undefined): Gap | undefined {
  const pack = gap?.isMissing === true ? findDamagedPack(context) : undefined;
  return gap && (pack === undefined ? gap : { ...gap, reason: `${gap.reason}, because ${pack} is damaged` });
}

/** More comments would hide the diff. */
const MAX_GAPS = 20;

/** Git and patch ignore lines before the first file. */
function renderGaps(gaps: ReadonlyMap<string, Gap>): string {
  const lines = [...gaps].slice(0, MAX_GAPS).map(([path, { reason, isAll }]) => {
    const shown = isAll ? 'its lines are not shown' : 'all of its new content is shown as added';
    return `# ${path.replaceAll(/[\r\n]/gu, '\uFFFD')}: ${reason}; ${shown}\n`;
  });
  const more = gaps.size - lines.length;
  return [...lines, ...(more > 0 ? [`# and ${more} more files, which --stat names\n`] : [])].join('');
}

type SidesOfChange = Pick<TreeChange, 'path' | 'after'> & { readonly before?: TreeEntry | undefined };

function writeSides(
  context: WorkspaceContext,
  folder: string,
  { path, before, after }: SidesOfChange,
  index: ObjectIndex,
): void {
  const write = (side: string, entry: TreeEntry | undefined): void => {
    if (entry === undefined || entry.type === 'dir') return;
    const at = join(folder, side, path);
    mkdirSync(dirname(at), { recursive: true });
    const bytes = readObject(context, entry.hash, index);
    if (entry.type === 'symlink') return symlinkSync(bytes, at);
    writeFileSync(at, bytes, { flag: 'wx' });
    chmodSync(at, (entry.mode & 0o100) === 0 ? 0o600 : 0o700);
  };
  write('a', before);
  write('b', after);
}

/** Compares the two sides without settings, filters and programs of any repository. */
async function compare(
  context: WorkspaceContext,
  folder: string,
  ...flags: readonly string[]
): Promise<string> {
  const fixed = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-prefix'];
  const { output } = await runGit(context, ['diff', '--no-index', ...fixed, ...flags, '--', ...SIDES], {
    cwd: folder,
    accept: [1],
  });
  return output.toString('utf8');
}

/** Git repeats the only side of a created or deleted file. */
function nameBothSides(text: string): string {
  return text.replaceAll(/^diff --git ([ab])\/(.*) \1\/\2$/gmu, 'diff --git a/$2 b/$2');
}

interface Counts {
  readonly added: number | null;
  readonly deleted: number | null;
}

/** Parses `--numstat -z`; a binary file has dashes, and a comparison of folders names both sides. */
function parseCounts(text: string): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  const words = text.split('\0');
  for (let at = 0; at < words.length; at += 1) {
    const [added = '', deleted = '', name = ''] = (words[at] ?? '').split('\t');
    if (added === '') continue;
    const names = name === '' ? [words[at + 1] ?? '', words[at + 2] ?? ''] : [name];
    if (name === '') at += 2;
    const path = names.findLast((side) => side !== '/dev/null')?.replace(/^[ab]\//u, '') ?? '';
    const toCount = (word: string): number | null => (word === '-' ? null : Number(word));
    counts.set(path, { added: toCount(added), deleted: toCount(deleted) });
  }
  return counts;
}

function describe(
  change: Pick<TreeChange, 'path' | 'action' | 'type'>,
  counts: ReadonlyMap<string, Counts>,
  gaps: ReadonlyMap<string, Gap>,
): FileDiff {
  const gap = gaps.get(change.path);
  if (gap !== undefined) return { ...change, added: null, deleted: null, omitted: gap.reason };
  return { ...change, ...(counts.get(change.path) ?? { added: 0, deleted: 0 }) };
}
