import type { LlmPort } from '../../agent/llm-port.ts';
import type { CallerPorts } from '../../agent/open-plan.ts';
import type { AgentPlan } from '../../agent/plan-agent.ts';
import type { SessionLog } from '../../agent/session-log.ts';
import type { SessionRecord } from '../../agent/session-record.ts';
import { parseRecord } from '../../agent/stored-session/record-schema.ts';
import { redactRecord } from '../../agent/stored-session/redact-record.ts';
import { restoreSession, type StoredSession } from '../../agent/stored-session/restore-session.ts';
import type { ToolHost, ToolOutcome } from '../../agent/tool-host.ts';
import { errorMessage } from '../../base/error-message.ts';
import { isPlainObject } from '../../base/json.ts';
import { renderStored } from '../../system/stored-document.ts';
import type { Assignment } from '../../work/executors/executor.ts';
import type { SessionKeeper } from '../../work/executors/session-keeper.ts';
import { CHANGING_TOOLS } from '../../work/workspace/tools/tool-descriptions.ts';
import { TOOL_PREFIX } from './tool-prefix.ts';

/** The session of an item, which another host can continue: its ports, and wrappers for its model and its tools that store each step. */
export interface ItemSession {
  readonly ports: Pick<CallerPorts, 'sessionLog' | 'resume' | 'prompt' | 'head'>;
  /** The calls that an earlier attempt completed. */
  readonly earlier: readonly EarlierCall[];
  /** Stores all completed records before each request. */
  readonly llm: (port: LlmPort) => LlmPort;
  /** Stores all completed records before each call, and runs one call at a time. */
  readonly tools: (host: ToolHost, isRoot: boolean) => ToolHost;
  readonly flush: () => Promise<void>;
}

export interface EarlierCall {
  readonly tool: string;
  readonly arguments: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly ok: boolean;
  readonly text: string;
}

/** Opens the session of a run: the session of an earlier attempt, or a new session. */
export async function openItemSession(
  keeper: SessionKeeper,
  { name, config }: AgentPlan,
  { now }: Pick<Assignment, 'now'>,
): Promise<ItemSession> {
  // A conversation depends on how its model gets its tools.
  const head = { agent: name, transport: config.transport };
  const kept = await keeper.restore((lines) => findProblem(lines, head));
  const records = completeRecords(kept?.lines ?? []);
  const resume = kept && restoreSession(records);
  const steps = createSteps(keeper);
  return {
    ports: {
      sessionLog: createLog(steps, now),
      head,
      ...(resume !== undefined && { resume }),
      // A session that ended needs nothing but its report.
      ...(kept !== undefined && resume?.result?.success !== true && { prompt: kept.note }),
    },
    earlier: listCalls(records),
    llm: (port) => ({
      attempt: async (request) => {
        await steps.save();
        return port.attempt(request);
      },
    }),
    tools: (host, isRoot) => (isRoot ? serialize(host, steps) : { ...host, call: watched(host, steps) }),
    flush: steps.save,
  };
}

function findProblem(lines: readonly string[], head: object): string | undefined {
  try {
    const session: StoredSession = restoreSession(completeRecords(lines));
    const isSame =
      isPlainObject(session.head) &&
      Object.entries(head).every(([key, value]) =>
        isPlainObject(session.head) ? session.head[key] === value : false,
      );
    return isSame ? undefined : 'its agent is another one here';
  } catch (error) {
    return `it cannot be read: ${errorMessage(error)}`;
  }
}

/** The records of a session without incomplete calls: the workspace is as it was before them, so they run again. */
function completeRecords(lines: readonly string[]): readonly SessionRecord[] {
  const records = lines.map((line) => parseRecord(line));
  return records.filter((record, index) => {
    if (record.type !== 'tool.started') return true;
    const { position } = record;
    const next = records
      .slice(index + 1)
      .find((later) => isResponse(later) || ('position' in later && later.position === position));
    return next?.type === 'tool.finished';
  });
}

/** A response of the session itself; the positions of calls are those in their response. */
function isResponse(record: SessionRecord): boolean {
  return record.type === 'llm.settled' && record.child === undefined;
}

function listCalls(records: readonly SessionRecord[]): readonly EarlierCall[] {
  const started = new Map<string, Extract<SessionRecord, { type: 'tool.started' }>>();
  const calls: EarlierCall[] = [];
  for (const record of records) {
    if (record.type === 'tool.started') started.set(record.position, record);
    if (record.type !== 'tool.finished') continue;
    const call = started.get(record.position);
    if (call?.tool.startsWith(TOOL_PREFIX) !== true) continue;
    const { tool, arguments: text, at } = call;
    const { ok, text: reply } = record.result;
    calls.push({ tool, arguments: text, startedAt: at, endedAt: record.at, ok, text: reply });
  }
  return calls;
}

/**
 * The steps of a session that are not stored yet. They can be stored only while the workspace matches them: no call runs, every call that
 * began has its result in the log, and no sub-agent is in the middle of its work.
 */
interface Steps {
  readonly add: (record: Parameters<SessionLog['append']>[0], line: string) => void;
  readonly began: () => void;
  readonly running: (change: 1 | -1) => void;
  readonly changedTree: () => void;
  readonly abandon: () => void;
  readonly save: () => Promise<void>;
}

function createSteps(keeper: SessionKeeper): Steps {
  let lines: string[] = [];
  let isTreeChanged = false;
  let running = 0;
  let begun = 0;
  let finished = 0;
  let isAbandoned = false;
  const others = new Set<string>();
  return {
    add: (record, line) => {
      lines.push(line);
      if (record.type === 'tool.started' && !record.tool.startsWith(TOOL_PREFIX)) others.add(record.position);
      if (record.type === 'tool.finished' && !others.delete(record.position)) finished += 1;
    },
    began: () => (begun += 1),
    running: (change) => (running += change),
    changedTree: () => (isTreeChanged = true),
    abandon: () => (isAbandoned = true),
    save: async () => {
      if (isAbandoned || running > 0 || begun !== finished || others.size > 0) return;
      const [some, changed] = [lines, isTreeChanged];
      [lines, isTreeChanged] = [[], false];
      await keeper.save(some, { isTreeChanged: changed });
    },
  };
}

function createLog(steps: Steps, now: () => number): SessionLog {
  return {
    // The claim of the item keeps other processes away.
    hold: (action) => action(),
    append: (record) => {
      const masked = redactRecord(record);
      steps.add(masked, renderStored({ at: now(), ...masked }, 0).trimEnd());
    },
    abandon: steps.abandon,
    close: () => undefined,
  };
}

/** One call at a time: a parallel one would change the workspace while the result of another is stored. */
function serialize(host: ToolHost, steps: Steps): ToolHost {
  let last: Promise<unknown> = Promise.resolve();
  const run = watched(host, steps);
  return {
    ...host,
    call: async (name, args, context) => {
      const before = last;
      const own = (async (): Promise<ToolOutcome> => {
        await before;
        // The result of the call before is in the log after the callbacks that are due now.
        await new Promise((resolve) => setImmediate(resolve));
        if (!context.signal.aborted) await steps.save();
        steps.began();
        if (context.signal.aborted) return { ok: false, reason: 'aborted' };
        return run(name, args, context);
      })();
      last = own;
      return own;
    },
  };
}

function watched(host: ToolHost, steps: Steps): ToolHost['call'] {
  return async (name, args, context) => {
    steps.running(1);
    try {
      return await host.call(name, args, context);
    } finally {
      steps.running(-1);
      if (CHANGING_TOOLS.has(name.slice(TOOL_PREFIX.length))) steps.changedTree();
    }
  };
}
