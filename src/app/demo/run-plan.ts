import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import type { DemoCaller } from './demo-caller.ts';
import { RECONCILER_ITEM, TOOLS } from './demo-project.ts';
import { plain, refused, shown, type DemoTale } from './demo-step.ts';
import { describeIsolation, type Isolation } from './describe-isolation.ts';
import type { DemoStage } from './open-stage.ts';

/** What a run of an item has come to, as `work run` answers it. */
export interface DemoRun {
  readonly item_id: string;
  readonly run_id: string;
  readonly status: string;
  readonly created_files: readonly string[];
  readonly modified_files: readonly string[];
  readonly output_hash: string;
  readonly receipt_path: string;
  readonly metrics: { readonly tests_passed?: number; readonly tool_ops_count: number };
}

/** A plan of four: three at once, then the reconciler. */
export async function runPlan(
  stage: DemoStage,
  { confirm }: DemoCaller,
): Promise<{ readonly tale: DemoTale; readonly runs: readonly DemoRun[] }> {
  const before = new Set(listFiles(stage.repository));
  const { data, events } = await confirm(['deed', 'work', 'run', '../plan.json', '--jobs', '3', '--stream']);
  const runs = data['results'] as unknown as readonly DemoRun[];
  const whole = data['reconciliation'] as unknown as DemoRun;
  const files = runs.flatMap(({ created_files }) => created_files);
  const isThere = files.every((file) => existsSync(file) && !before.has(relative(stage.repository, file)));
  const merged = readReceipt(whole.receipt_path).tranche_receipts ?? [];
  const together = atOnce(
    events,
    TOOLS.map(({ id }) => id),
  );
  return {
    runs: [...runs, whole],
    tale: {
      id: 'plan',
      title: 'A plan of four items: three agents at once, then the reconciler',
      lines: [
        ...runs.map(describeRun(stage)),
        together
          ? shown('All three were at work at the same time, each in a workspace of its own.')
          : plain('They were quick: the first had ended before the last began.'),
        isThere
          ? shown(`Their ${files.length} files are in the repository now, where none of them was before.`)
          : refused('Not all of their files are in the repository.'),
        whole.status === 'success'
          ? shown(
              `${RECONCILER_ITEM.agent_id} ran every test again on the merged tree: ${whole.metrics.tests_passed ?? 0} passed. Its receipt names those of ${merged.map(({ item_id }) => item_id).join(', ')}.`,
            )
          : refused(`${RECONCILER_ITEM.agent_id} did not agree: ${whole.status}.`),
      ],
      facts: {
        job_id: data['job_id'],
        runs: [...runs, whole].map(({ item_id, run_id, status, output_hash }) => ({
          item_id,
          run_id,
          status,
          output_hash,
        })),
        created_files: files,
        merged: merged.map(({ receipt_id }) => receipt_id),
        at_once: together,
        tests_passed: whole.metrics.tests_passed ?? 0,
      },
      weaker: describeIsolation(readReceipt(whole.receipt_path).workspace),
    },
  };
}

function describeRun({ repository }: DemoStage): (run: DemoRun) => ReturnType<typeof shown> {
  return ({ item_id, status, created_files, metrics }) => {
    const agent = TOOLS.find(({ id }) => id === item_id)?.agent ?? '';
    const files = created_files.map((file) => relative(repository, file)).join(', ');
    const text = `${item_id.padEnd(8)} ${agent}  ${status}  ${files} (${metrics.tool_ops_count} tool calls, ${metrics.tests_passed ?? 0} test passed)`;
    return status === 'success' ? shown(text) : refused(text);
  };
}

/** Whether the last had begun before the first had done its work. */
function atOnce(events: readonly JsonObject[], ids: readonly string[]): boolean {
  const of = (type: string): number[] =>
    events.flatMap((event, index) =>
      event['type'] === type && ids.some((id) => event['item_id'] === id) ? [index] : [],
    );
  const [begun, done] = [of('run.started'), of('run.executed')];
  return begun.length === ids.length && Math.max(...begun) < Math.min(...done);
}

interface ReceiptFacts {
  readonly tranche_receipts?: readonly { readonly item_id: string; readonly receipt_id: string }[];
  readonly workspace: Isolation;
}

function readReceipt(path: string): ReceiptFacts {
  return JSON.parse(readFileSync(path, 'utf8')) as ReceiptFacts;
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}
