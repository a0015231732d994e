import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { killWhen } from '../../system/kill-when.ts';
import { LineSplitter } from '../../system/line-splitter.ts';
import type { Assignment } from '../../work/executors/executor.ts';
import { WORK_LIMITS } from '../../work/work-limits.ts';
import { MAX_LINE_BYTES, type ReplyLine, type ToolLine } from '../../work/workspace/tools/serve-tools.ts';
import type { ToolReply } from '../../work/workspace/tools/workspace-tool.ts';
import type { SandboxedProcess } from '../../work/workspace/workspace.ts';
import { TOOL_ENTRY } from './tool-entry.ts';

/** The workspace tools, in a process inside the sandbox. */
export interface WorkspaceTools {
  /** Contract: never rejects. An aborted signal cancels the call. */
  readonly call: (
    tool: string,
    args: JsonObject,
    maxBytes: number,
    signal: AbortSignal,
  ) => Promise<ToolReply>;
  /** Returns why the process exited unexpectedly; undefined otherwise. */
  readonly failure: () => string | undefined;
  /** Terminates the process and everything its tools started. Resolves when all processes have exited. */
  readonly end: () => Promise<void>;
}

const STDERR_TAIL_CHARACTERS = 500;

/**
 * Starts the tool process. There is one per session, because the kernel leaves two overlay mounts over one workspace undefined; the
 * session's API keys stay outside it. Rejects when the process does not start.
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
  const { kill: killTree } = child;
  const killing = killWhen(child, { signal });
  const waiting = new Map<number, (reply: ToolReply) => void>();
  const ready = Promise.withResolvers<void>();
  let lastId = 0;
  let closing = false;
  let stderrTail = '';
  let failure: string | undefined;
  readReplies(child, (line) => {
    if ('ready' in line) ready.resolve();
    else waiting.get(line.id)?.(line);
  });
  child.stderr.on('data', (piece: Buffer) => {
    stderrTail = (stderrTail + piece.toString('utf8')).slice(-STDERR_TAIL_CHARACTERS);
    onOutput('stderr', piece);
  });
  const handleExit = (why: string): void => {
    if (!closing) failure = `The workspace tools exited: ${why}`;
    for (const reply of waiting.values()) reply({ ok: false, reason: 'the workspace tools exited' });
    ready.reject(notStarted(why));
  };
  const ended = child.ended.then(
    ({ exitCode, signal: by }) =>
      handleExit(stderrTail.trim() || (exitCode === null ? `signal ${by}` : `exit code ${exitCode}`)),
    (error: unknown) => handleExit(errorMessage(error)),
  );
  const send = (line: ToolLine): void => void child.stdin.write(`${JSON.stringify(line)}\n`);
  const call: WorkspaceTools['call'] = (tool, args, maxBytes, callSignal) => {
    lastId += 1;
    const id = lastId;
    return new Promise<ToolReply>((resolve) => {
      const cancel = (): void => send({ cancel: id });
      waiting.set(id, (reply) => {
        waiting.delete(id);
        callSignal.removeEventListener('abort', cancel);
        resolve(reply.ok ? { ok: true, text: reply.text } : { ok: false, reason: reply.reason });
      });
      if (failure !== undefined || closing)
        return waiting.get(id)?.({ ok: false, reason: 'the workspace tools exited' });
      callSignal.addEventListener('abort', cancel, { once: true });
      send({ id, tool, args, max_bytes: maxBytes });
      return callSignal.aborted ? cancel() : undefined;
    });
  };
  const end = async (): Promise<void> => {
    closing = true;
    killTree();
    await ended;
    killing.release();
  };
  try {
    await ready.promise;
  } catch (error) {
    await end();
    throw error;
  }
  return { failure: () => failure, end, call };
}

/** Reads replies from the process. Kills it when a line exceeds MAX_LINE_BYTES. */
function readReplies({ stdout, kill }: SandboxedProcess, handle: (reply: ReplyLine) => void): void {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  stdout.on('data', (piece: Buffer) => {
    for (const line of splitter.push(piece)) parseReply(line, handle);
    if (splitter.overflowed) kill();
  });
}

/** Parses a reply. Other lines are ignored, because a command in the sandbox could write to the same pipe. */
function parseReply(line: string, handle: (reply: ReplyLine) => void): void {
  try {
    const value: unknown = JSON.parse(line);
    if (isReply(value)) handle(value);
  } catch {
    // Not a reply.
  }
}

function isReply(value: unknown): value is ReplyLine {
  if (!isPlainObject(value)) return false;
  if (value.ready === true) return true;
  return typeof value.id === 'number' && typeof (value.ok === true ? value.text : value.reason) === 'string';
}

function notStarted(why: string): Fault {
  return new Fault('E_IO', `The workspace tools did not start: ${why}`, {
    hint: 'Run `deed doctor` to check the sandbox.',
  });
}
