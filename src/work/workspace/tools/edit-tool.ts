import { writeFileSync } from 'node:fs';
import { insideTree } from './inside-tree.ts';
import { readText } from './read-text.ts';
import { textOf, ToolRefusal, type WorkspaceTool } from './workspace-tool.ts';

const MAX_LINES_TOLD = 10;

/** Replaces a text that occurs exactly once, or everywhere when asked to. A text that does not is told so that the next try works. */
export const editTool: WorkspaceTool = async (args, { root }) => {
  const place = insideTree(root, textOf(args, 'path'));
  const content = readText(place);
  if ('binaryBytes' in content)
    throw new ToolRefusal(`${place.name} is a binary file, ${content.binaryBytes} bytes`);
  const { text } = content;
  const [old, replacement] = [textOf(args, 'old_text'), textOf(args, 'new_text')];
  if (old === '') throw new ToolRefusal('old_text is empty; write the whole file instead');
  if (old === replacement) throw new ToolRefusal('old_text and new_text are the same');
  const places = findAll(text, old);
  if (places.length === 0)
    throw new ToolRefusal(`${place.name} does not contain old_text${whyNot(text, old)}`);
  if (places.length > 1 && args.all !== true) {
    const lines = places.slice(0, MAX_LINES_TOLD).map((at) => lineOf(text, at));
    const more = places.length > MAX_LINES_TOLD ? ', …' : '';
    throw new ToolRefusal(
      `old_text occurs ${places.length} times in ${place.name}, at lines ${lines.join(', ')}${more}; give more of what stands around it, or set all`,
    );
  }
  writeFileSync(place.real, text.split(old).join(replacement));
  const where = places.length === 1 ? `line ${lineOf(text, places[0] ?? 0)}` : `${places.length} places`;
  return `edited ${place.name}, ${where}`;
};

function findAll(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** The usual reasons: other line ends, other white space, or an older state of the file. */
function whyNot(text: string, old: string): string {
  if (text.includes('\r\n') && text.replaceAll('\r\n', '\n').includes(old))
    return ': the lines of this file end in CR LF, so old_text must too';
  const words = (line: string): string => line.split(/\s+/u).filter(Boolean).join(' ');
  const first = old.split('\n').map(words).find(Boolean) ?? '';
  const at = first === '' ? -1 : text.split('\n').findIndex((line) => words(line).includes(first));
  if (at < 0) return '; read the file again, it may have changed';
  return `: line ${at + 1} has the words of its first line, so white space or a later line differs; read it again`;
}
