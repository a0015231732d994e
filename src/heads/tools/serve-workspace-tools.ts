import { writeSync } from 'node:fs';
import { serveWorkspaceTools } from '../../app/serve-workspace-tools.ts';

/** Is the tools of a workspace: reads calls from standard input and answers on standard output, until the input ends. */
export async function runWorkspaceTools([root = process.cwd()]: readonly string[]): Promise<void> {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  await serveWorkspaceTools(
    { root, env },
    { input: process.stdin as AsyncIterable<Uint8Array>, write: (line) => writeWhole(Buffer.from(line)) },
  );
  process.exit(0);
}

/** A pipe takes what fits; the rest follows when the reader has caught up. */
function writeWhole(bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(1);
    }
  }
}
