import { writeFileSync } from 'node:fs';
import { insideTree } from './inside-tree.ts';
import { readText } from './read-text.ts';
import { textArgument, ToolError, type WorkspaceTool } from './workspace-tool.ts';

const MAX_LISTED_LINES = 10;

/** Replaces text that occurs exactly once, or everywhere with `all`. An error helps the model to fix the next call. */
export const editTool: WorkspaceTool = async (args, { root }) => {
  const place = insideTree(root, textArgument(args, 'path'));
  const content = readText(place);
  if ('binaryBytes' in content)
    throw new ToolError(`${place.name} is a binary file, ${content.binaryBytes} bytes`);
  const { text } = content;
  const [old, replacement] = [textArgument(args, 'old_text'), textArgument(args, 'new_text')];
  if (old === '') throw new ToolError('old_text is empty; write the whole file instead');
  if (old === replacement) throw new ToolError('old_text and new_text are the same');
  const places = findAll(text, old);
  if (places.length === 0)
    throw new ToolError(`${place.name} does not contain old_text${explainMismatch(text, old)}`);
  if (places.length > 1 && args.all !== true) {
    const lines = places.slice(0, MAX_LISTED_LINES).map((at) => lineOf(text, at));
    const more = places.length > MAX_LISTED_LINES ? ', …' : '';
    throw new ToolError(
      `old_text occurs ${places.length} times in ${place.name}, at lines ${lines.join(', ')}${more}; include more of the surrounding text, or set all`,
    );
  }
  writeFileSync(place.real, text.split(old).join(replacement));
  const where = places.length === 1 ? `line ${lineOf(text, places[0] ?? 0)}` : `${places.length} places`;
  return `edited ${place.name}, ${where}`;
};

function findAll(text: string, search: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + search.length)) found.push(at);
  return found;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** Detects the usual reasons: line endings, white space, or an outdated state of the file. */
function explainMismatch(text: string, old: string): string {
  if (text.includes('\r\n') && text.replaceAll('\r\n', '\n').includes(old))
    return ': the lines of this file end in CR LF, so old_text must too';
  const words = (line: string): string => line.split(/\s+/u).filter(Boolean).join(' ');
  const first = old.split('\n').map(words).find(Boolean) ?? '';
  const at = first === '' ? -1 : text.split('\n').findIndex((line) => words(line).includes(first));
  if (at < 0) return '; read the file again, it may have changed';
  return `: line ${at + 1} has the words of its first line, so white space or a later line differs; read it again`;
}
