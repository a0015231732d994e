import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoCaller } from './demo-caller.ts';
import { OVER_LIMIT } from './demo-project.ts';
import { refused, shown, type StepReport } from './demo-step.ts';
import type { DemoEnvironment } from './create-environment.ts';

/** Step: an item that exceeds its limit on files. */
export async function denyItem(
  demo: DemoEnvironment,
  { confirm }: DemoCaller,
): Promise<{ readonly report: StepReport; readonly runId: string }> {
  const before = digestFiles(demo.repository);
  const { error, exitCode } = await confirm(['deed', 'work', 'run', '../licence.json'], 'E_DENIED');
  const after = digestFiles(demo.repository);
  const { run_id, denial_reason } = (error?.details ?? {}) as { run_id: string; denial_reason: string };
  const report: StepReport = {
    id: 'denied',
    title: `Deny an item that exceeds its limits (max_files ${OVER_LIMIT.maxFiles})`,
    lines: [
      refused(`${OVER_LIMIT.id}: ${denial_reason}. ${error?.code}, exit code ${exitCode}.`),
      before === after
        ? shown(`The repository is unchanged (SHA-256 ${after.slice(0, 12)}…).`)
        : refused('The repository was changed.'),
      shown(`The denied run has a receipt too: deed receipt show ${run_id}`),
    ],
    facts: { run_id, code: error?.code, denial_reason, before, after, unchanged: before === after },
  };
  return { report, runId: run_id };
}

/** Hashes the working tree: paths, modes and contents. Does not use deed. */
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
