import { join } from 'node:path';
import { killWhen } from '../../system/kill-when.ts';
import { LineSplitter } from '../../system/line-splitter.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { RecordedToolCall } from '../run/run-capsule.ts';
import type { AgentEvent } from './agent-events.ts';
import { commandProgram, type ProgramSpec } from './agent-programs.ts';
import type { Assignment, Executor, ExecutorResult } from './executor.ts';
import { followFile } from './follow-file.ts';

/** An agent that is an external program. It gets the description on stdin, and in its arguments where they contain a placeholder. */
export function commandExecutor(argv: readonly string[]): Executor {
  return programExecutor(commandProgram(argv));
}

/** Runs a program. It continues an earlier session if it can, otherwise it starts a new one with the whole task. */
export function programExecutor(spec: ProgramSpec): Executor {
  return {
    toolSource: spec.toolSource,
    run: async (assignment) => {
      const { session, workspace } = assignment;
      const { sandboxed } = workspace;
      const freshCall: ProgramCall = {
        argv: spec.argv({ sandboxed }) ?? [],
        input: assignment.item.description,
      };
      const resuming = session && spec.argv({ sandboxed, session: session.id });
      if (session === undefined || resuming === undefined)
        return (await runProgram(spec, assignment, freshCall)).result;
      const { result, reportedSession } = await runProgram(spec, assignment, {
        argv: resuming,
        input: session.message,
      });
      if (reportedSession || result.error === undefined || assignment.signal.aborted) return result;
      assignment.onOutput('stderr', Buffer.from(`deed: session ${session.id} cannot be continued\n`));
      return (await runProgram(spec, assignment, freshCall)).result;
    },
  };
}

interface ProgramCall {
  readonly argv: readonly string[];
  /** For standard input. */
  readonly input: string;
}

interface ProgramOutcome {
  readonly result: ExecutorResult;
  /** Whether the program reported its session. A program that cannot continue the requested session exits before that. */
  readonly reportedSession: boolean;
}

async function runProgram(
  spec: ProgramSpec,
  assignment: Assignment,
  call: ProgramCall,
): Promise<ProgramOutcome> {
  const { workspace, signal, item } = assignment;
  const argv = call.argv.map((word) => fillPlaceholders(word, item));
  let failure: string | undefined;
  const handle = (event: AgentEvent): void => {
    for (const toolCall of event.tools) assignment.onTool(stamp(toolCall, assignment.now()));
    failure = event.error ?? failure;
  };
  const reports = openReports(spec, workspace.scratch.host, handle);
  const ownCall: Omit<RecordedToolCall, 'startTime'> = {
    id: 'command',
    name: 'command',
    input: { argv },
    status: 'pending',
  };
  if (spec.events === undefined) assignment.onTool(stamp(ownCall, assignment.now()));
  const child = workspace.spawn(argv, {
    env: {
      ...(workspace.sandboxed && spec.sandboxEnv),
      ...assignment.env,
      DEED_EVENTS: join(workspace.scratch.inside, EVENTS_FILE),
    },
    layer: 'run',
    maxFileBytes: WORK_LIMITS.diskBytes,
  });
  const killing = killWhen(child, { signal });
  const watch = setInterval(reports.poll, WORK_LIMITS.watchEveryMs);
  const lines = new LineSplitter(WORK_LIMITS.eventBytes);
  const usage = spec.createUsage?.();
  const handleLine = (line: string): void => {
    if (spec.events !== undefined) handle(spec.events(line));
    usage?.push(line);
  };
  child.stdout.on('data', (chunk: Uint8Array) => {
    assignment.onOutput('stdout', chunk);
    lines.push(chunk).forEach(handleLine);
  });
  child.stderr.on('data', (chunk: Uint8Array) => assignment.onOutput('stderr', chunk));
  child.stdin.end(call.input);
  try {
    const { exitCode, signal: ended } = await child.ended;
    lines.end().forEach(handleLine);
    const error = failureOf(failure, exitCode, ended);
    if (spec.events === undefined) {
      assignment.onTool(
        stamp({ ...ownCall, status: error === undefined ? 'success' : 'error', error }, assignment.now()),
      );
    }
    return {
      result: { exitCode, error, usage: usage?.read() },
      reportedSession: usage?.sessionId() !== undefined,
    };
  } finally {
    clearInterval(watch);
    killing.release();
    reports.end();
  }
}

const EVENTS_FILE = 'events.ndjson';

/** Follows the file on which a program without an event stream reports its tool calls. */
function openReports(
  spec: ProgramSpec,
  folder: string,
  handle: (event: AgentEvent) => void,
): ReturnType<typeof followFile> {
  const read = spec.createReports();
  return followFile(join(folder, EVENTS_FILE), (line) => {
    if (spec.events === undefined) handle(read(line));
  });
}

/** The error that the agent reported, or how its program ended. */
function failureOf(
  reported: string | undefined,
  exitCode: number | null,
  signal: string | null,
): string | undefined {
  if (exitCode === 0 || reported !== undefined) return reported;
  return exitCode === null ? `terminated by ${signal}` : describeExit(exitCode);
}

function fillPlaceholders(word: string, item: Assignment['item']): string {
  return word.replaceAll('{id}', item.id).replaceAll('{description}', item.description);
}

function stamp(call: Omit<RecordedToolCall, 'startTime' | 'endTime'>, now: number): RecordedToolCall {
  const at = new Date(now).toISOString();
  return { ...call, startTime: at, ...(call.status !== 'pending' && { endTime: at }) };
}

function describeExit(code: number): string {
  if (code === 127) return 'exit code 127: a command was not found';
  return code === 126 ? 'exit code 126: a command cannot be executed' : `exit code ${code}`;
}
