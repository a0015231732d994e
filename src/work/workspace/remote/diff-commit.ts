import { ownMember } from '../../../base/own-member.ts';
import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import type { FileDiff, RenderedDiff } from '../render-diff.ts';
import { WORK_LIMITS } from '../../work-limits.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** No settings, filters and programs of the repository take part; larger files are shown as binary ones. */
const FIXED = [
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];
const SETTINGS = ['-c', `core.bigFileThreshold=${WORK_LIMITS.diffFileBytes}`];
const SYMLINK = '120000';
const ACTIONS: Readonly<Record<string, FileDiff['action']>> = { A: 'create', D: 'delete' };

/** Renders the changes of a commit against its first parent, of all files or only of the given files. */
export async function diffCommit(
  context: WorkspaceContext,
  root: string,
  commit: string,
  paths: readonly string[] = [],
): Promise<RenderedDiff> {
  const diff = async (...flags: readonly string[]): Promise<Buffer> => {
    const args = ['--literal-pathspecs', ...SETTINGS, 'diff', ...FIXED, ...flags, `${commit}^`, commit, '--'];
    return (await runGit(context, [...args, ...paths], { cwd: root })).output;
  };
  const counts = new Map(splitZero(await diff('--numstat', '-z')).map(parseCount));
  const files = parseRaw(splitZero(await diff('--raw', '--abbrev', '-z')));
  const text = (await diff('--unified=3')).toString('utf8');
  return { files: files.map((file) => ({ ...file, ...(counts.get(file.path) ?? UNKNOWN) })), text };
}

type Counts = Pick<FileDiff, 'added' | 'deleted'>;

const UNKNOWN: Counts = { added: null, deleted: null };

function parseCount(line: string): readonly [string, Counts] {
  const [added = '-', deleted = '-', ...name] = line.split('\t');
  const toCount = (word: string): number | null => (word === '-' ? null : Number(word));
  return [name.join('\t'), { added: toCount(added), deleted: toCount(deleted) }];
}

/** Each entry has two words: modes, hashes and action; then the path. */
function parseRaw(words: readonly string[]): readonly Pick<FileDiff, 'path' | 'action' | 'type'>[] {
  return words.flatMap((word, index) => {
    if (index % 2 === 1) return [];
    const [before = '', after = '', , , action = ''] = word.slice(1).split(' ');
    const mode = action === 'D' ? before : after;
    return [
      {
        path: words[index + 1] ?? '',
        action: ownMember(ACTIONS, action) ?? 'modify',
        type: mode === SYMLINK ? 'symlink' : 'file',
      },
    ];
  });
}
