import { serveWorkspaceTools } from '../../app/agent-executor/serve-workspace-tools.ts';

/** Runs the workspace tools: reads calls from standard input and writes results to standard output until the input ends. */
export async function runWorkspaceTools([root = process.cwd()]: readonly string[]): Promise<void> {
  await serveWorkspaceTools(root, process.env, {
    input: process.stdin as AsyncIterable<Uint8Array>,
    write: (line) => void process.stdout.write(line),
  });
}
