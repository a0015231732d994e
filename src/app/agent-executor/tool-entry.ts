/** The argument that starts this program as the workspace tools inside a sandbox; internal. */
export const TOOL_ENTRY = '__workspace-tools';
