import { excerpt } from '../../../base/text.ts';
import { insideTree } from './inside-tree.ts';
import { askGit } from './visible-files.ts';
import { cutText, textOf, ToolRefusal, type WorkspaceTool } from './workspace-tool.ts';

const MAX_MATCHES = 200;
const MAX_LINE_CHARACTERS = 240;

/** Searches the text files that git sees. Git's own matcher does it: it skips binary files, and no pattern can make it hang for ever. */
export const searchTool: WorkspaceTool = async (args, place) => {
  const { name } = insideTree(place.root, textOf(args, 'path', '.'));
  const pattern = textOf(args, 'pattern');
  if (pattern === '' || pattern.includes('\n') || pattern.includes('\0'))
    throw new ToolRefusal('the pattern must be one line of text');
  const output = await askGit(
    [
      'grep',
      '--untracked',
      '--no-color',
      '--full-name',
      '-I',
      '-n',
      '-z',
      ...(args.ignore_case === true ? ['-i'] : []),
      args.regex === true ? '-E' : '-F',
      '-e',
      pattern,
      '--',
      name,
    ],
    place,
  );
  const matches = parseMatches(output.toString('utf8'));
  if (matches.length === 0) return 'no match';
  const kept = matches.slice(0, MAX_MATCHES).map(({ path, line, text }) => `${path}:${line}: ${text}`);
  const left = matches.length - kept.length;
  const told = [...kept, ...(left > 0 ? [`[${left} more matches; narrow the pattern or the path]`] : [])];
  const rest = `[cut off: ${matches.length} matches in all; narrow the pattern or the path]`;
  return cutText(told.join('\n'), place.maxBytes, rest);
};

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Lines of `path NUL number NUL text`; git's threads give the files in any order. */
function parseMatches(output: string): readonly Match[] {
  return output
    .split('\n')
    .flatMap((each): Match[] => {
      const [path, line, ...rest] = each.split('\0');
      if (path === undefined || line === undefined || rest.length === 0) return [];
      return [{ path, line: Number(line), text: excerpt(rest.join(' ').trim(), MAX_LINE_CHARACTERS) }];
    })
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
}
