import { insideTree } from './inside-tree.ts';
import { readText } from './read-text.ts';
import { countArgument, textArgument, ToolError, type WorkspaceTool } from './workspace-tool.ts';

/** Reads a file, or as many lines as fit. */
export const readTool: WorkspaceTool = async (args, { root, maxBytes }) => {
  const place = insideTree(root, textArgument(args, 'path'));
  const content = readText(place);
  if ('binaryBytes' in content) return `${place.name}: binary file, ${content.binaryBytes} bytes`;
  const { text } = content;
  const offset = countArgument(args, 'offset', 1);
  const limit = countArgument(args, 'limit', Infinity);
  if (offset === 1 && limit === Infinity && Buffer.byteLength(text) <= maxBytes)
    return text === '' ? `${place.name} is empty` : text;
  const lines = text.split('\n');
  // A trailing newline does not start another line.
  if (lines.at(-1) === '') lines.pop();
  if (offset > lines.length)
    throw new ToolError(`${place.name} has ${lines.length} lines; there is no line ${offset}`);
  const last = Math.min(lines.length, offset - 1 + limit);
  const kept = fit(lines.slice(offset - 1, last), maxBytes - NOTICE_BYTES);
  const end = offset - 1 + kept.length;
  if (kept.length === 0)
    throw new ToolError(`line ${offset} of ${place.name} is too long; read a part of it with a command`);
  const more = end < lines.length ? `; continue at offset ${end + 1}` : '';
  return `${kept.join('\n')}\n[lines ${offset} to ${end} of ${lines.length}${more}]`;
};

/** Reserved for the notice about omitted lines. */
const NOTICE_BYTES = 100;

function fit(lines: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0;
  const over = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > maxBytes);
  return over < 0 ? lines : lines.slice(0, over);
}
