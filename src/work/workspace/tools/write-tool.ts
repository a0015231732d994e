import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { insideTree } from './inside-tree.ts';
import { textOf, ToolRefusal, type WorkspaceTool } from './workspace-tool.ts';

/** Writes a whole file; folders above it are made, and the mode of one that is there stays. */
export const writeTool: WorkspaceTool = async (args, { root }) => {
  const { name, real } = insideTree(root, textOf(args, 'path'));
  const content = textOf(args, 'content');
  const before = statSync(real, { throwIfNoEntry: false });
  if (before?.isDirectory() === true) throw new ToolRefusal(`${name} is a folder`);
  if (before !== undefined && !before.isFile()) throw new ToolRefusal(`${name} is no regular file`);
  mkdirSync(dirname(real), { recursive: true });
  writeFileSync(real, content);
  return `${before === undefined ? 'created' : 'replaced'} ${name}, ${Buffer.byteLength(content)} bytes`;
};
