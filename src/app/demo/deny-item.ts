import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoCaller } from './demo-caller.ts';
import { GREEDY } from './demo-project.ts';
import { refused, shown, type DemoTale } from './demo-step.ts';
import type { DemoStage } from './open-stage.ts';

/** An item whose agent touches more files than it may. */
export async function denyItem(
  stage: DemoStage,
  { confirm }: DemoCaller,
): Promise<{ readonly tale: DemoTale; readonly runId: string }> {
  const before = digestFiles(stage.repository);
  const { error, exitCode } = await confirm(['deed', 'work', 'run', '../licence.json'], 'E_DENIED');
  const after = digestFiles(stage.repository);
  const { run_id, denial_reason } = (error?.details ?? {}) as { run_id: string; denial_reason: string };
  const tale: DemoTale = {
    id: 'denied',
    title: `An item that does more than it may (max_files ${GREEDY.maxFiles})`,
    lines: [
      refused(`${GREEDY.id}: ${denial_reason}. ${error?.code}, exit code ${exitCode}.`),
      before === after
        ? shown(`No trace: every file of the repository is as before (SHA-256 ${after.slice(0, 12)}…).`)
        : refused('The repository is not as it was before.'),
      shown(`What was denied has its receipt too: deed receipt show ${run_id}`),
    ],
    facts: { run_id, code: error?.code, denial_reason, before, after, unchanged: before === after },
  };
  return { tale, runId: run_id };
}

/** What is in the working tree, by path, kind, mode and content; looked at without any of our own commands. */
export function digestFiles(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name === '.git' || name.startsWith('.git/')) continue;
    const path = join(folder, name);
    const stats = lstatSync(path);
    hash.update(JSON.stringify([name, stats.mode, stats.isFile() ? readFileSync(path, 'latin1') : '']));
  }
  return hash.digest('hex');
}
