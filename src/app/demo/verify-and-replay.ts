import type { ProgramAnswer, DemoCaller } from './demo-caller.ts';
import { refused, shown, type StepReport } from './demo-step.ts';
import type { DemoRun } from './run-plan.ts';

/** Step: verify receipts. */
export async function verifyRun(runs: readonly DemoRun[], { call }: DemoCaller): Promise<StepReport> {
  const [run] = runs;
  const verified = checkedBy(await call(['deed', 'receipt', 'verify', run?.run_id ?? '']));
  const all = checkedBy(await call(['deed', 'receipt', 'verify']));
  return {
    id: 'receipt',
    title: 'Verify the signed, chained receipts',
    lines: [
      shown(`Receipt of ${run?.item_id}: signature, hashes and position in the chain are valid.`),
      shown(
        `All ${all} receipts are valid, including that of the denied item. Any changed byte would be reported.`,
      ),
    ],
    facts: { run_id: run?.run_id ?? null, verified, verified_all: all },
  };
}

/** The number of verified receipts; an invalid one makes the call throw. */
function checkedBy({ data }: ProgramAnswer): number {
  return (data as { checked: number }).checked;
}

/** Step: replay a run. */
export async function replayFirstRun(runs: readonly DemoRun[], { call }: DemoCaller): Promise<StepReport> {
  const run = runs[0];
  const { data } = await call(['deed', 'work', 'replay', run?.run_id ?? '']);
  const { grade, matches, expected_hash, actual_hash, reason } = data as Record<
    string,
    string | boolean | null
  >;
  return {
    id: 'replay',
    title: 'Replay a run in a scratch folder without network',
    lines: [
      matches
        ? shown(`BLAKE3 ${String(actual_hash).slice(0, 16)}… equals the receipt; grade: ${grade}.`)
        : refused(`The replay gave ${actual_hash} instead of ${expected_hash}.`),
    ],
    facts: { run_id: run?.run_id ?? null, grade, matches, expected_hash, actual_hash },
    weaker: grade === 'exact' ? undefined : `The grade is ${grade}: ${reason}.`,
  };
}
