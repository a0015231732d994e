import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SEARCH_PATH } from './installed.ts';

/**
 * Runs a script of this folder in its own pid, mount, network and IPC namespace. All processes in it end with it; its network is
 * loopback alone. Returns the exit code.
 */
export async function runInNamespace(
  script: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<number | null> {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const file = new URL(script, import.meta.url).pathname;
  // Bash is the first process, because it reaps orphans as an init does.
  const child = spawn(
    'unshare',
    [
      ...user,
      '--fork',
      '--pid',
      '--mount-proc',
      '--net',
      '--ipc',
      '--kill-child',
      'bash',
      '-c',
      `ip link set lo up; "$@"; exit $?`,
      'init',
      process.execPath,
      file,
      ...args,
    ],
    {
      cwd: '/',
      env: { PATH: SEARCH_PATH, HOME: '/' },
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
