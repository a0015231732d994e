import type { ActionContext } from './live-process.ts';
import type { PinnedTree } from './pinned-tree.ts';

const SETTLE_MS = 1000;
const POLL_MS = 10;

/** Sends SIGSTOP to a tree, root first so that it starts no new children; returns the pids that still run. `SIGCONT` undoes it. */
export async function pauseTree(environment: ActionContext, tree: PinnedTree): Promise<readonly number[]> {
  for (const process of tree.members().toReversed()) process.send('SIGSTOP');
  for (const process of tree.grow()) process.send('SIGSTOP');
  const deadline = environment.monotonicMs() + SETTLE_MS;
  const running = (): readonly number[] =>
    tree
      .members()
      .filter((process) => !process.hasEnded() && !isStopped(environment, process.pid))
      .map(({ pid }) => pid);
  while (running().length > 0 && environment.monotonicMs() < deadline) await environment.sleep(POLL_MS);
  return running();
}

function isStopped(environment: ActionContext, pid: number): boolean {
  const live = environment.readProcess(pid);
  return live === undefined || live.state === 'T' || live.state === 't';
}
