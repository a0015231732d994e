import { serveTools, type ToolStreams } from '../../work/workspace/tools/serve-tools.ts';

/** Serves the tools of a workspace from a process inside its walls; commands get the environment that this process was given. */
export function serveWorkspaceTools(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  streams: ToolStreams,
): Promise<void> {
  const given = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return serveTools({ root, env: Object.fromEntries(given) as Record<string, string> }, streams);
}
