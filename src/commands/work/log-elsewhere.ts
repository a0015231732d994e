import { hasQueue, withQueue } from '../../app/fleet/with-queue.ts';
import { Fault } from '../../base/fault.ts';
import { excerpt } from '../../base/text.ts';
import { sleep } from '../../base/sleep.ts';
import type { CommandContext } from '../../contract/command.ts';
import { describeLine } from '../../work/executors/describe-line.ts';
import type { AgentConfig } from '../../work/executors/agent-config.ts';
import type { LogLine } from '../../work/run/run-log.ts';
import type { RunLogLine } from '../../work/plan/follow-log.ts';
import { readFleetStates } from '../../work/plan/fleet-states.ts';
import { readCurrentJob } from './follow-fleet.ts';
import { listLive, onlyOnHost, type LiveItem, type RunElsewhere } from './find-run-elsewhere.ts';

/** Workers announce their last lines every five seconds. */
const POLL_MS = 2500;
const KEY_CHARACTERS = 150;

export interface ElsewhereLog {
  readonly jobId: string;
  /** Only this run; otherwise all runs of the job. */
  readonly run?: RunElsewhere | undefined;
  readonly raw: boolean;
}

/** Reads the logs of runs on other hosts: what their workers stored at the end, and the last lines of those that run. */
export async function* followElsewhere(
  { jobId, run, raw }: ElsewhereLog,
  follow: boolean,
  context: CommandContext,
): AsyncGenerator<RunLogLine> {
  if (!hasQueue(context)) throw notHere(jobId);
  const runId = run?.runId;
  const printed = new Set<string>();
  const done = new Set<string>();
  for (;;) {
    const job = await readCurrentJob(jobId, context);
    const states = Object.values(readFleetStates(context.home.path, jobId));
    const runs = states.flatMap((state) => state.runId ?? []);
    const wanted = runId === undefined ? runs : [runId];
    const { logs, live } = await withQueue(context, async (queue) => {
      const { readSharedLog } = await import('../../work/fleet/shared-logs.ts');
      const found = [];
      for (const id of wanted)
        if (!done.has(id)) found.push({ id, log: await readSharedLog(queue.documents, id) });
      return { logs: found, live: (await listLive(queue)).filter((item) => item.jobId === jobId) };
    });
    const nowMs = context.system.clock.now();
    const printing = { printed, raw, nowMs };
    for (const { id, log } of logs) {
      if (log === undefined) continue;
      const names = { run_id: id, item_id: log.itemId };
      if (log.isCut && !done.has(id))
        yield { ...names, ...noteAt(nowMs, `earlier lines are on ${log.host}`) };
      for (const line of log.lines) yield* fresh({ ...names, ...line }, { ...printing, kind: log.agentKind });
      done.add(id);
    }
    const shown = live.filter((each) => runId === undefined || each.runId === runId);
    for (const item of shown) yield* liveLines(item, printing);
    if (run !== undefined && !done.has(run.runId) && shown.length === 0)
      throw onlyOnHost(run, 'its log was not stored', 'log');
    const isOver =
      runId === undefined ? job.endedAt !== undefined || job.cancelled === true : done.has(runId);
    if (!follow || isOver) return;
    await sleep(POLL_MS, context.signal);
    if (context.signal.aborted) throw new Fault('E_INTERRUPTED', 'Interrupted');
  }
}

interface Printing {
  /** The lines that were printed already: a run is first seen while it runs, and then as a whole. */
  readonly printed: Set<string>;
  readonly raw: boolean;
  readonly nowMs: number;
  readonly kind?: AgentConfig['kind'] | undefined;
}

function* fresh(line: RunLogLine, { printed, raw, kind }: Printing): Generator<RunLogLine> {
  const text = raw || line.stream !== 'stdout' ? line.text : describeLine(kind, line.text);
  const key = `${line.run_id} ${line.at} ${line.stream} ${text?.slice(0, KEY_CHARACTERS)}`;
  if (text === undefined || printed.has(key)) return;
  printed.add(key);
  yield { ...line, text };
}

function* liveLines(
  { itemId, runId = '', worker, attempt, lines }: LiveItem,
  printing: Printing,
): Generator<RunLogLine> {
  const { nowMs } = printing;
  const names = { run_id: runId, item_id: itemId };
  const start = `${runId} ${worker.id}`;
  if (!printing.printed.has(start))
    yield {
      ...names,
      ...noteAt(nowMs, `attempt ${attempt} runs on ${excerpt(worker.host)}; its last lines follow`),
    };
  printing.printed.add(start);
  for (const line of lines) yield* fresh({ ...names, ...line }, printing);
}

function noteAt(nowMs: number, text: string): LogLine {
  return { at: new Date(nowMs).toISOString(), stream: 'deed', text };
}

function notHere(jobId: string): Fault {
  return new Fault(
    'E_CONFLICT',
    `The runs of ${jobId} are on other hosts, and this home has no shared store.`,
    {
      hint: 'Use the store of those hosts: deed store use postgres://… (docs/shared-store.md).',
      details: { field: 'id', id: jobId },
    },
  );
}
