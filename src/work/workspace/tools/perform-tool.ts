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
  if (tool === undefined) return { ok: false, reason: `there is no tool ${name}` };
  try {
    return { ok: true, text: await tool(args, place) };
  } catch (error) {
    if (error instanceof ToolError) return { ok: false, reason: error.message };
    const code = systemCode(error);
    if (code === undefined) return { ok: false, reason: String(error) };
    return { ok: false, reason: MESSAGES[code] ?? `the system refuses it (${code})` };
  }
}

/** Messages for system error codes. */
const MESSAGES: Readonly<Record<string, string>> = {
  ENOTDIR: 'something above it is a file, not a folder',
  EEXIST: 'something above it is a file, not a folder',
  EACCES: 'it may not be read or written',
  EPERM: 'it may not be read or written',
  EROFS: 'it is read-only',
  EFBIG: 'it grows beyond what a file may be',
  ENOSPC: 'there is no room for it',
  ENAMETOOLONG: 'the path is too long',
};
