import type { Writable } from 'node:stream';
import { startChild } from './start-child.ts';

/**
 * The program of a watcher. Its standard input is a pipe that only this process can write to, so the input ends when this process exits,
 * even by SIGKILL. The watcher then kills every process with the mark in its environment; processes forked meanwhile are found by the next pass.
 */
const PROGRAM = `
read -r word
[ "$word" = done ] && exit 0
pass=0
while [ $pass -lt 20 ]; do
  pids=
  for file in $(grep -lsF -e "$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    pids="$pids \${pid%/environ}"
  done
  [ -z "$pids" ] && exit 0
  kill -KILL $pids
  pass=$((pass + 1))
done
`;

interface Watcher {
  users: number;
  readonly stop: () => void;
}

const watchers = new Map<string, Promise<Watcher>>();

/**
 * Makes sure that processes with a mark in their environment (`NAME=value`, unique) do not outlive this process, even if it is killed. A
 * process that changed its group, session or parent is found too. Call it before the first such process starts; call the
 * returned function when all of them have ended. Does nothing where there is no /proc.
 */
export async function watchOwnExit(mark: string, env: Readonly<Record<string, string>>): Promise<() => void> {
  if (process.platform !== 'linux') return () => {};
  const starting = watchers.get(mark) ?? startWatcher(mark, env);
  watchers.set(mark, starting);
  const watcher = await starting;
  watcher.users += 1;
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    watcher.users -= 1;
    if (watcher.users > 0) return;
    watchers.delete(mark);
    watcher.stop();
  };
}

async function startWatcher(
  mark: string,
  { PATH = '/usr/bin:/bin' }: Readonly<Record<string, string>>,
): Promise<Watcher> {
  const { process: child, started } = startChild(['/bin/sh', '-c', PROGRAM, 'deed-exit-watcher', mark], {
    cwd: '/',
    env: { PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  try {
    await started;
  } catch {
    // Without a shell, tool servers still end with a process that exits by itself.
    return { users: 0, stop: () => {} };
  }
  child.unref();
  const input = child.stdin as Writable & { readonly unref?: () => void };
  input.unref?.();
  return { users: 0, stop: () => input.end('done\n') };
}
