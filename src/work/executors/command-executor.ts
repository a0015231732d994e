import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { killWhen } from '../../system/kill-when.ts';
import { LineSplitter } from '../../system/line-splitter.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { ToolCall } from '../run/run-capsule.ts';
import {
  createReportReader,
  readClaudeEvent,
  readCodexEvent,
  type AgentEvent,
  type EventReader,
} from './agent-events.ts';
import type { Assignment, Executor, ExecutorEnd } from './executor.ts';
import { followFile } from './follow-file.ts';

/** A program that speaks a stream of events on standard output, or none and reports on DEED_EVENTS. */
interface Manner {
  readonly toolSource: string;
  readonly argv: readonly string[];
  readonly events?: EventReader;
}

/** An agent that is a program of its own: what it is asked comes on standard input, and in its arguments where they ask for it. */
export function commandExecutor(argv: readonly string[]): Executor {
  return programExecutor({ argv, toolSource: 'the command itself and what it reports on DEED_EVENTS' });
}

export function claudeExecutor(argv: readonly string[] = CLAUDE): Executor {
  return programExecutor({ argv, toolSource: 'stream-json events of claude', events: readClaudeEvent });
}

export function codexExecutor(argv: readonly string[] = CODEX): Executor {
  return programExecutor({ argv, toolSource: 'JSON events of codex', events: readCodexEvent });
}

/** The sandbox is ours, so the programs need not ask for each step. */
const CLAUDE = [
  'claude',
  '-p',
  '--output-format',
  'stream-json',
  '--verbose',
  '--permission-mode',
  'bypassPermissions',
];
const CODEX = [
  'codex',
  'exec',
  '--json',
  '--dangerously-bypass-approvals-and-sandbox',
  '--skip-git-repo-check',
  '-',
];

function programExecutor(manner: Manner): Executor {
  return { toolSource: manner.toolSource, run: (assignment) => runProgram(manner, assignment) };
}

async function runProgram(manner: Manner, assignment: Assignment): Promise<ExecutorEnd> {
  const { workspace, signal, item } = assignment;
  const argv = manner.argv.map((word) => fillIn(word, item));
  let failure: string | undefined;
  const take = (event: AgentEvent): void => {
    for (const call of event.tools) assignment.onTool(stamp(call, assignment.now()));
    failure = event.error ?? failure;
  };
  const eventsFile = join(workspace.scratch.host, 'events.ndjson');
  const reports = followFile(eventsFile, (line) => {
    if (manner.events === undefined) take(readReport(line));
  });
  const readReport = createReportReader();
  // The command may run under another account's number inside its sandbox.
  chmodSync(eventsFile, 0o666);
  const itself: Omit<ToolCall, 'startTime'> = {
    id: 'command',
    name: 'command',
    input: { argv },
    status: 'pending',
  };
  if (manner.events === undefined) assignment.onTool(stamp(itself, assignment.now()));
  const child = workspace.spawn(argv, {
    env: { ...assignment.env, DEED_EVENTS: join(workspace.scratch.inside, 'events.ndjson') },
    layer: 'run',
    maxFileBytes: WORK_LIMITS.diskBytes,
  });
  const killing = killWhen(child, { signal });
  const watch = setInterval(reports.poll, WORK_LIMITS.guardEveryMs);
  const lines = new LineSplitter(WORK_LIMITS.eventBytes);
  const takeLine = (line: string): void => {
    if (manner.events !== undefined) take(manner.events(line));
  };
  child.stdout.on('data', (chunk: Uint8Array) => {
    assignment.onOutput('stdout', chunk);
    lines.push(chunk).forEach(takeLine);
  });
  child.stderr.on('data', (chunk: Uint8Array) => assignment.onOutput('stderr', chunk));
  child.stdin.end(item.description);
  try {
    const { exitCode, signal: ended } = await child.ended;
    lines.end().forEach(takeLine);
    const error =
      exitCode === 0
        ? failure
        : (failure ?? (exitCode === null ? `ended by ${ended}` : describeExit(exitCode)));
    if (manner.events === undefined) {
      assignment.onTool(
        stamp({ ...itself, status: error === undefined ? 'success' : 'error', error }, assignment.now()),
      );
    }
    return { exitCode, error };
  } finally {
    clearInterval(watch);
    killing.release();
    reports.end();
  }
}

function fillIn(word: string, item: Assignment['item']): string {
  return word.replaceAll('{id}', item.id).replaceAll('{description}', item.description);
}

function stamp(call: Omit<ToolCall, 'startTime' | 'endTime'>, now: number): ToolCall {
  const at = new Date(now).toISOString();
  return { ...call, startTime: at, ...(call.status !== 'pending' && { endTime: at }) };
}

function describeExit(code: number): string {
  if (code === 127) return 'exit code 127: a command was not found';
  return code === 126 ? 'exit code 126: a command cannot be executed' : `exit code ${code}`;
}
