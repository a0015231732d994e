import type { DemoAnswer, DemoCaller } from './demo-caller.ts';
import { refused, shown, type DemoTale } from './demo-step.ts';
import type { DemoRun } from './run-plan.ts';

/** What was signed is what is there. */
export async function checkReceipts(runs: readonly DemoRun[], { call }: DemoCaller): Promise<DemoTale> {
  const [run] = runs;
  const one = checkedBy(await call(['deed', 'receipt', 'verify', run?.run_id ?? '']));
  const all = checkedBy(await call(['deed', 'receipt', 'verify']));
  return {
    id: 'receipt',
    title: 'Receipts: signed, and each follows the one before',
    lines: [
      shown(`The receipt of ${run?.item_id}: its signature, its hashes and its place in the chain hold.`),
      shown(`So do all ${all}, that of the denied item included. A changed byte would be found and named.`),
    ],
    facts: { run_id: run?.run_id ?? null, verified: one, verified_all: all },
  };
}

/** How many receipts were found sound; a broken one is a fault that the call throws. */
function checkedBy({ data }: DemoAnswer): number {
  return (data as { checked: number }).checked;
}

/** The same work again, elsewhere, comes to the same state. */
export async function replayRun(runs: readonly DemoRun[], { call }: DemoCaller): Promise<DemoTale> {
  const run = runs[0];
  const { data } = await call(['deed', 'work', 'replay', run?.run_id ?? '']);
  const { grade, matches, expected_hash, actual_hash, reason } = data as Record<
    string,
    string | boolean | null
  >;
  return {
    id: 'replay',
    title: 'A replay: the same work again, in a throwaway folder, without a network',
    lines: [
      matches
        ? shown(`BLAKE3 ${String(actual_hash).slice(0, 16)}… as in the receipt; grade: ${grade}.`)
        : refused(`The replay came to ${actual_hash} instead of ${expected_hash}.`),
    ],
    facts: { run_id: run?.run_id ?? null, grade, matches, expected_hash, actual_hash },
    weaker: grade === 'exact' ? undefined : `The grade is ${grade}: ${reason}.`,
  };
}
