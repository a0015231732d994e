import { excerpt } from '../../../base/text.ts';
import { insideTree } from './inside-tree.ts';
import { runGitInTree } from './visible-files.ts';
import { cutText, textArgument, ToolError, type WorkspaceTool } from './workspace-tool.ts';

const MAX_MATCHES = 200;
const MAX_LINE_CHARACTERS = 240;

/** Searches text files that git does not ignore, with `git grep`: it skips binary files, and no pattern makes it hang. */
export const searchTool: WorkspaceTool = async (args, place) => {
  const { name } = insideTree(place.root, textArgument(args, 'path', '.'));
  const pattern = textArgument(args, 'pattern');
  if (pattern === '' || pattern.includes('\n') || pattern.includes('\0'))
    throw new ToolError('the pattern must be one line of text');
  const output = await runGitInTree(
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
  const lines = [...kept, ...(left > 0 ? [`[${left} more matches; narrow the pattern or the path]`] : [])];
  const rest = `[truncated: ${matches.length} matches in total; narrow the pattern or the path]`;
  return cutText(lines.join('\n'), place.maxBytes, rest);
};

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Parses lines of `path NUL number NUL text`; git's threads output files in any order. */
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
