/** The argument that makes this program the tools of a workspace; for its own use, inside a sandbox. */
export const TOOL_ENTRY = '__workspace-tools';
