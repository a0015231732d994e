/** The tools of a workspace, for the process that is them. */
export { serveTools as serveWorkspaceTools } from '../work/workspace/tools/serve-tools.ts';
