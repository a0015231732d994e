import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { LineSplitter } from '../../system/line-splitter.ts';
import type { Assignment } from '../../work/executors/executor.ts';
import { WORK_LIMITS } from '../../work/work-limits.ts';
import { MAX_LINE_BYTES, type ReplyLine, type ToolLine } from '../../work/workspace/tools/serve-tools.ts';
import type { ToolReply } from '../../work/workspace/tools/workspace-tool.ts';
import type { SandboxedProcess } from '../../work/workspace/workspace.ts';
import { TOOL_ENTRY } from './tool-entry.ts';

/** The tools of a workspace, in a process inside its walls. */
export interface WorkspaceTools {
  /** Contract: never rejects. An aborted signal ends the call. */
  readonly call: (
    tool: string,
    args: JsonObject,
    maxBytes: number,
    signal: AbortSignal,
  ) => Promise<ToolReply>;
  /** Why the process ended although nobody asked it to; nothing while all is well. */
  readonly failure: () => string | undefined;
  /** Ends the process with everything that its tools started. Resolves when nothing is left. */
  readonly end: () => Promise<void>;
}

const COMPLAINT_CHARACTERS = 500;

/**
 * Starts the tools. There is one such process a session: two mounts over one workspace are undefined to the kernel, and keys of the
 * session stay outside. Rejects when it does not come up.
 */
export async function startWorkspaceTools(
  program: readonly string[],
  { workspace, env, signal, onOutput }: Assignment,
): Promise<WorkspaceTools> {
  const child = workspace.spawn([...program, TOOL_ENTRY, workspace.root], {
    env,
    layer: 'run',
    maxFileBytes: WORK_LIMITS.diskBytes,
  });
  const { kill: strike } = child;
  signal.addEventListener('abort', strike, { once: true });
  if (signal.aborted) strike();
  const waiting = new Map<number, (reply: ToolReply) => void>();
  const ready = Promise.withResolvers<void>();
  let [asked, closing, complaint]: [number, boolean, string] = [0, false, ''];
  let failure: string | undefined;
  readReplies(child, (line) => {
    if ('ready' in line) ready.resolve();
    else waiting.get(line.id)?.(line);
  });
  child.stderr.on('data', (piece: Buffer) => {
    complaint = (complaint + piece.toString('utf8')).slice(-COMPLAINT_CHARACTERS);
    onOutput('stderr', piece);
  });
  child.stdin.on('error', () => undefined);
  const lost = (why: string): void => {
    if (!closing) failure = `The tools of the workspace ended: ${why}`;
    for (const answer of waiting.values()) answer({ ok: false, reason: 'the tools of the workspace ended' });
    ready.reject(notStarted(why));
  };
  const ended = child.ended.then(
    ({ exitCode, signal: by }) =>
      lost(complaint.trim() || (exitCode === null ? `by ${by}` : `exit code ${exitCode}`)),
    (error: unknown) => lost(error instanceof Error ? error.message : String(error)),
  );
  const send = (line: ToolLine): void => void child.stdin.write(`${JSON.stringify(line)}\n`);
  const end = async (): Promise<void> => {
    closing = true;
    strike();
    await ended;
    signal.removeEventListener('abort', strike);
  };
  try {
    await ready.promise;
  } catch (error) {
    await end();
    throw error;
  }
  return {
    failure: () => failure,
    end,
    call: (tool, args, maxBytes, until) => {
      asked += 1;
      const id = asked;
      return new Promise<ToolReply>((resolve) => {
        const cancel = (): void => send({ cancel: id });
        waiting.set(id, (reply) => {
          waiting.delete(id);
          until.removeEventListener('abort', cancel);
          resolve(reply.ok ? { ok: true, text: reply.text } : { ok: false, reason: reply.reason });
        });
        if (failure !== undefined || closing)
          return waiting.get(id)?.({ ok: false, reason: 'the tools of the workspace ended' });
        until.addEventListener('abort', cancel, { once: true });
        send({ id, tool, args, max_bytes: maxBytes });
        return until.aborted ? cancel() : undefined;
      });
    },
  };
}

/** A process that sends more than a line may hold is ended. */
function readReplies({ stdout, kill }: SandboxedProcess, take: (reply: ReplyLine) => void): void {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  stdout.on('data', (piece: Buffer) => {
    const lines = splitter.push(piece);
    if (lines === undefined) kill();
    for (const line of lines ?? []) parseReply(line, take);
  });
}

/** A command in the sandbox could write to the same pipe; what is no reply is ignored. */
function parseReply(line: string, take: (reply: ReplyLine) => void): void {
  try {
    const value: unknown = JSON.parse(line);
    if (isReply(value)) take(value);
  } catch {
    // Not ours.
  }
}

function isReply(value: unknown): value is ReplyLine {
  if (!isPlainObject(value)) return false;
  if (value.ready === true) return true;
  return typeof value.id === 'number' && typeof (value.ok === true ? value.text : value.reason) === 'string';
}

function notStarted(why: string): Fault {
  return new Fault('E_IO', `The tools of the workspace did not start: ${why}`, {
    hint: 'Run `deed doctor`; it tries the sandbox and says what is missing.',
  });
}
