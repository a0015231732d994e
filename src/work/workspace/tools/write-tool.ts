import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { insideTree } from './inside-tree.ts';
import { textArgument, ToolError, type WorkspaceTool } from './workspace-tool.ts';

/** Writes a whole file; creates parent folders, and keeps the mode of an existing file. */
export const writeTool: WorkspaceTool = async (args, { root }) => {
  const { name, real } = insideTree(root, textArgument(args, 'path'));
  const content = textArgument(args, 'content');
  const before = statSync(real, { throwIfNoEntry: false });
  if (before?.isDirectory() === true) throw new ToolError(`${name} is a folder`);
  if (before !== undefined && !before.isFile()) throw new ToolError(`${name} is not a regular file`);
  mkdirSync(dirname(real), { recursive: true });
  writeFileSync(real, content);
  return `${before === undefined ? 'created' : 'replaced'} ${name}, ${Buffer.byteLength(content)} bytes`;
};
