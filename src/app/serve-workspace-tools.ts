export { serveTools as serveWorkspaceTools, type ToolStreams } from '../work/workspace/tools/serve-tools.ts';
