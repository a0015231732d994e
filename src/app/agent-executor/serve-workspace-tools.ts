import { serveTools, type ToolStreams } from '../../work/workspace/tools/serve-tools.ts';

/** Serves the workspace tools from a process inside the sandbox; commands inherit the environment of this process. */
export function serveWorkspaceTools(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  streams: ToolStreams,
): Promise<void> {
  const defined = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return serveTools({ root, env: Object.fromEntries(defined) as Record<string, string> }, streams);
}
