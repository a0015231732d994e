import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../scripts/build-constants.ts';
import { CACHE, SEARCH_PATH } from './installed.ts';

/** An empty /tmp, because X servers keep their locks and sockets there; what is needed of the real one stays visible. */
const SET_UP = `ip link set lo up
mount -t tmpfs -o mode=755 tmpfs /mnt && mkdir -m 1777 /mnt/tmp || exit 1
for one in $KEPT; do mkdir -p "/mnt$one" && mount --rbind "$one" "/mnt$one" || exit 1; done
mount --rbind /mnt/tmp /tmp && umount -l /mnt || exit 1
unset KEPT`;

/**
 * Runs a script of this folder in its own pid, mount, network and IPC namespace. All processes in it end with it; its network is
 * loopback alone. Returns the exit code.
 */
export async function runInNamespace(
  script: string,
  args: readonly string[],
  kept: readonly string[],
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
      `${SET_UP}\n"$@"; exit $?`,
      'init',
      process.execPath,
      file,
      ...args,
    ],
    {
      cwd: '/',
      env: {
        PATH: SEARCH_PATH,
        HOME: '/',
        SITUATIONS_CACHE: CACHE,
        RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), '.rustup'),
        KEPT: keptFolders(kept).join(' '),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

function keptFolders(kept: readonly string[]): readonly string[] {
  mkdirSync(CACHE, { recursive: true });
  return [ROOT, CACHE, dirname(process.execPath), ...kept]
    .map((folder) => realpathSync(folder))
    .filter((folder) => folder.startsWith('/tmp/'));
}
