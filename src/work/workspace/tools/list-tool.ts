import { readdirSync, statSync } from 'node:fs';
import { insideTree } from './inside-tree.ts';
import { visibleFiles } from './visible-files.ts';
import { cutText, textArgument, ToolError, type WorkspaceTool } from './workspace-tool.ts';

const MAX_ENTRIES = 1000;

/** Lists a folder, or with `recursive` every file below it that git does not ignore. */
export const listTool: WorkspaceTool = async (args, place) => {
  const { name, real } = insideTree(place.root, textArgument(args, 'path', '.'));
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined) throw new ToolError(`the folder ${name} does not exist`);
  if (!stats.isDirectory()) throw new ToolError(`${name} is a file, not a folder`);
  const entries = args.recursive === true ? await visibleFiles(name, place) : listFolder(real);
  if (entries.length === 0) return `${name} is empty`;
  const kept = entries.slice(0, MAX_ENTRIES);
  const left = entries.length - kept.length;
  const text = [...kept, ...(left > 0 ? [`[${left} more; list a subfolder]`] : [])].join('\n');
  return cutText(text, place.maxBytes, `[truncated: ${entries.length} entries in total; list a subfolder]`);
};

function listFolder(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.name !== '.git')
    .map((entry) => `${entry.name}${entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : ''}`)
    .sort();
}
