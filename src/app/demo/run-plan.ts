import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import type { DemoCaller } from './demo-caller.ts';
import { RECONCILER_ITEM, TOOLS } from './demo-project.ts';
import { plain, refused, shown, type StepReport } from './demo-step.ts';
import { isolationSentence, type ReceiptIsolation } from './isolation-sentence.ts';
import type { DemoEnvironment } from './create-environment.ts';

/** The result of an item, as returned by `work run`. */
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

/** Step: a plan of four items, three in parallel, then the reconciler. */
export async function runPlan(
  demo: DemoEnvironment,
  { confirm }: DemoCaller,
): Promise<{ readonly report: StepReport; readonly runs: readonly DemoRun[] }> {
  const before = new Set(listFiles(demo.repository));
  const { data, events } = await confirm(['deed', 'work', 'run', '../plan.json', '--jobs', '3', '--stream']);
  const runs = data['results'] as unknown as readonly DemoRun[];
  const reconciled = data['reconciliation'] as unknown as DemoRun;
  const files = runs.flatMap(({ created_files }) => created_files);
  const areNew = files.every((file) => existsSync(file) && !before.has(relative(demo.repository, file)));
  const merged = readReceipt(reconciled.receipt_path).tranche_receipts ?? [];
  const { workspace } = readReceipt(runs[0]?.receipt_path ?? reconciled.receipt_path);
  const isolation = isolationSentence(workspace);
  const isWeaker = !workspace.sandboxed || workspace.mode !== 'overlay';
  const inParallel = overlap(
    events,
    TOOLS.map(({ id }) => id),
  );
  return {
    runs: [...runs, reconciled],
    report: {
      id: 'plan',
      title: 'Run a plan of four items: three agents in parallel, then the reconciler',
      lines: [
        ...runs.map(describeRun(demo)),
        inParallel
          ? shown('All three ran at the same time, each in its own workspace.')
          : plain('They were fast: the first one had finished before the last one started.'),
        ...(isWeaker ? [] : [shown(isolation)]),
        areNew
          ? shown(`Their ${files.length} new files are in the repository.`)
          : refused('Some of their files are missing from the repository.'),
        reconciled.status === 'success'
          ? shown(
              `${RECONCILER_ITEM.agent_id} ran all tests again on the merged tree: ${reconciled.metrics.tests_passed ?? 0} passed. Its receipt lists those of ${merged.map(({ item_id }) => item_id).join(', ')}.`,
            )
          : refused(`${RECONCILER_ITEM.agent_id} failed: ${reconciled.status}.`),
      ],
      facts: {
        job_id: data['job_id'],
        runs: [...runs, reconciled].map(({ item_id, run_id, status, output_hash }) => ({
          item_id,
          run_id,
          status,
          output_hash,
        })),
        created_files: files,
        merged: merged.map(({ receipt_id }) => receipt_id),
        at_once: inParallel,
        isolation: workspace.isolation ?? 'none',
        tests_passed: reconciled.metrics.tests_passed ?? 0,
      },
      weaker: isWeaker ? isolation : undefined,
    },
  };
}

function describeRun({ repository }: DemoEnvironment): (run: DemoRun) => ReturnType<typeof shown> {
  return ({ item_id, status, created_files, metrics }) => {
    const agent = TOOLS.find(({ id }) => id === item_id)?.agent ?? '';
    const files = created_files.map((file) => relative(repository, file)).join(', ');
    const text = `${item_id.padEnd(8)} ${agent}  ${status}  ${files} (${metrics.tool_ops_count} tool calls, ${metrics.tests_passed ?? 0} test passed)`;
    return status === 'success' ? shown(text) : refused(text);
  };
}

/** Whether the last item had started before the first one was executed. */
function overlap(events: readonly JsonObject[], ids: readonly string[]): boolean {
  const of = (type: string): number[] =>
    events.flatMap((event, index) =>
      event['type'] === type && ids.some((id) => event['item_id'] === id) ? [index] : [],
    );
  const [started, executed] = [of('run.started'), of('run.executed')];
  return started.length === ids.length && Math.max(...started) < Math.min(...executed);
}

interface ReceiptFacts {
  readonly tranche_receipts?: readonly { readonly item_id: string; readonly receipt_id: string }[];
  readonly workspace: ReceiptIsolation;
}

function readReceipt(path: string): ReceiptFacts {
  return JSON.parse(readFileSync(path, 'utf8')) as ReceiptFacts;
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}
