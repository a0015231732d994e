/** The server of the workspace tools in accounting. */
export const TOOL_SERVER = 'workspace';

/** The prefix of the names of the workspace tools, as the model sees them. */
export const TOOL_PREFIX = `${TOOL_SERVER}__`;
