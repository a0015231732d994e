import { ownMember } from '../../../base/own-member.ts';
import type { JsonObject } from '../../../base/json.ts';
import { systemCode } from '../../../base/system-fault.ts';
import { editTool } from './edit-tool.ts';
import { listTool } from './list-tool.ts';
import { readTool } from './read-tool.ts';
import { runTool } from './run-tool.ts';
import { searchTool } from './search-tool.ts';
import { ToolError, type ToolContext, type ToolReply, type WorkspaceTool } from './workspace-tool.ts';
import { writeTool } from './write-tool.ts';
import type { ToolName } from './tool-descriptions.ts';

const TOOLS: Readonly<Record<ToolName, WorkspaceTool>> = {
  read: readTool,
  write: writeTool,
  edit: editTool,
  list: listTool,
  search: searchTool,
  run: runTool,
};

/** Executes one tool call. Contract: never rejects; a failure is a reply with a reason. */
export async function performTool(name: string, args: JsonObject, place: ToolContext): Promise<ToolReply> {
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name as ToolName] : undefined;
  if (tool === undefined) return { ok: false, reason: `unknown tool ${name}` };
  try {
    return { ok: true, text: await tool(args, place) };
  } catch (error) {
    if (error instanceof ToolError) return { ok: false, reason: error.message };
    const code = systemCode(error);
    if (code === undefined) return { ok: false, reason: String(error) };
    return { ok: false, reason: ownMember(MESSAGES, code) ?? `the operation failed (${code})` };
  }
}

/** Messages for system error codes. */
const MESSAGES: Readonly<Record<string, string>> = {
  ENOTDIR: 'a parent of this path is a file, not a folder',
  EEXIST: 'a parent of this path is a file, not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EFBIG: 'the file would exceed the maximum size',
  ENOSPC: 'no space is left on the disk',
  ENAMETOOLONG: 'the path is too long',
};
