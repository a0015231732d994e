import { spawn } from 'node:child_process';
import { gitSettings } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import { ToolRefusal, type ToolPlace } from './workspace-tool.ts';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Asks git inside the tree; exit 1 is the answer that there is nothing. */
export function askGit(args: readonly string[], { root, env, signal }: ToolPlace): Promise<Buffer> {
  const child = spawn('git', args, {
    cwd: root,
    env: { ...env, ...gitSettings() },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const output: Buffer[] = [];
  let bytes = 0;
  let complaint = '';
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) output.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < 1000) complaint += chunk.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0 || (code === 1 && complaint === '')) resolve(Buffer.concat(output));
      else
        reject(new ToolRefusal(complaint.trim().replace(/^fatal: /u, '') || `git ended with code ${code}`));
    });
  });
}

/** Lists the files below a folder that are tracked, or neither tracked nor ignored; sorted. */
export async function visibleFiles(folder: string, place: ToolPlace): Promise<readonly string[]> {
  const [all, gone] = await Promise.all([
    askGit(['ls-files', '-c', '-o', '-z', '--exclude-standard', '--', folder], place),
    askGit(['ls-files', '-d', '-z', '--', folder], place),
  ]);
  const missing = new Set(splitZero(gone));
  return [...new Set(splitZero(all))].filter((path) => !missing.has(path)).sort();
}
