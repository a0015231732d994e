import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../../base/system-fault.ts';
import { insideTree } from './inside-tree.ts';
import { ToolRefusal, type WorkspaceTool } from './workspace-tool.ts';

/** Writes a whole file; folders above it are made, and the mode of one that is there stays. */
export const writeTool: WorkspaceTool = async (args, { root }) => {
  const { name, real } = insideTree(root, String(args.path));
  const content = String(args.content);
  const before = statSync(real, { throwIfNoEntry: false });
  if (before?.isDirectory() === true) throw new ToolRefusal(`${name} is a folder`);
  if (before !== undefined && !before.isFile()) throw new ToolRefusal(`${name} is no regular file`);
  try {
    mkdirSync(dirname(real), { recursive: true });
    writeFileSync(real, content);
  } catch (error) {
    throw cannotWrite(name, error);
  }
  return `${before === undefined ? 'created' : 'replaced'} ${name}, ${Buffer.byteLength(content)} bytes`;
};

/** What the system says of a write that did not work, in words. */
export function cannotWrite(name: string, error: unknown): unknown {
  switch (systemCode(error)) {
    case 'ENOTDIR':
    case 'EEXIST':
      return new ToolRefusal(`${name} cannot be written: something above it is a file, not a folder`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ToolRefusal(`${name} cannot be written: it is read-only`);
    case 'EFBIG':
    case 'ENOSPC':
      return new ToolRefusal(`${name} cannot be written: there is no room for it`);
    case 'ENAMETOOLONG':
      return new ToolRefusal('the path is too long');
    default:
      return error;
  }
}
