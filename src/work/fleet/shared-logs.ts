import * as v from 'valibot';
import { readLogTail } from '../run/read-log-tail.ts';
import type { LogLine } from '../run/run-log.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import { LOG_LINE } from './item-activity.ts';
import { KEEP_SECONDS, type SharedDocuments } from './shared-documents.ts';

/** The end of the log of a run on another host. */
export interface SharedLog {
  readonly jobId: string;
  readonly itemId: string;
  readonly runId: string;
  readonly host: string;
  /** The kind of its agent, whose events are described when they are shown. */
  readonly agentKind?: AgentConfig['kind'] | undefined;
  readonly lines: readonly LogLine[];
  /** Whether earlier lines are only on that host. */
  readonly isCut: boolean;
}

const LIMIT = { lines: 500, characters: 64 * 1024 };

const SCHEMA = v.object({
  jobId: v.string(),
  itemId: v.string(),
  runId: v.string(),
  host: v.string(),
  agentKind: v.optional(v.picklist(['command', 'claude', 'codex', 'builtin'])),
  lines: v.pipe(v.array(LOG_LINE), v.maxLength(LIMIT.lines)),
  isCut: v.boolean(),
});

/** Copies the end of the log of a run of this home, for other hosts. Secrets in it are masked already. */
export async function shareLog(
  documents: SharedDocuments,
  home: string,
  run: Omit<SharedLog, 'lines' | 'isCut'>,
): Promise<void> {
  const log: SharedLog = { ...run, ...readLogTail(home, run.runId, LIMIT) };
  await documents.put({ kind: 'logs', group: run.runId, name: '' }, log, KEEP_SECONDS, 'new');
}

export async function readSharedLog(
  documents: SharedDocuments,
  runId: string,
): Promise<SharedLog | undefined> {
  const [log] = await documents.read('logs', runId);
  const parsed = v.safeParse(SCHEMA, log?.value);
  return parsed.success && parsed.output.runId === runId ? parsed.output : undefined;
}
