import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { killWhen } from '../../system/kill-when.ts';
import { LineSplitter } from '../../system/line-splitter.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { RecordedToolCall } from '../run/run-capsule.ts';
import {
  createReportReader,
  readClaudeEvent,
  readCodexEvent,
  type AgentEvent,
  type EventReader,
} from './agent-events.ts';
import type { Assignment, Executor, ExecutorResult } from './executor.ts';
import { followFile } from './follow-file.ts';

/** How a program is run and how its tool calls are reported: by an event stream on stdout, or by DEED_EVENTS. */
interface ProgramSpec {
  readonly toolSource: string;
  readonly argv: readonly string[];
  /** The arguments without a sandbox, if they differ. */
  readonly unconfined?: readonly string[];
  readonly events?: EventReader;
}

/** An agent that is an external program. It gets the description on stdin, and in its arguments where they contain a placeholder. */
export function commandExecutor(argv: readonly string[]): Executor {
  return programExecutor({ argv, toolSource: 'the command itself and what it reports on DEED_EVENTS' });
}

export function claudeExecutor(argv?: readonly string[]): Executor {
  return programExecutor({
    argv: argv ?? CLAUDE,
    unconfined: argv ?? CLAUDE_UNCONFINED,
    toolSource: 'stream-json events of claude',
    events: readClaudeEvent,
  });
}

export function codexExecutor(argv?: readonly string[]): Executor {
  return programExecutor({
    argv: argv ?? CODEX,
    unconfined: argv ?? CODEX_UNCONFINED,
    toolSource: 'JSON events of codex',
    events: readCodexEvent,
  });
}

const claude = (permissions: string): readonly string[] => [
  'claude',
  '-p',
  '--output-format',
  'stream-json',
  '--verbose',
  '--permission-mode',
  permissions,
];
const codex = (...permissions: readonly string[]): readonly string[] => [
  'codex',
  'exec',
  '--json',
  ...permissions,
  '--skip-git-repo-check',
  '-',
];
// Runs are sandboxed by deed, so the programs do not ask for permission; unsandboxed they keep their own checks.
const CLAUDE = claude('bypassPermissions');
const CLAUDE_UNCONFINED = claude('acceptEdits');
const CODEX = codex('--dangerously-bypass-approvals-and-sandbox');
const CODEX_UNCONFINED = codex('--sandbox', 'workspace-write');

function programExecutor(spec: ProgramSpec): Executor {
  return { toolSource: spec.toolSource, run: (assignment) => runProgram(spec, assignment) };
}

async function runProgram(spec: ProgramSpec, assignment: Assignment): Promise<ExecutorResult> {
  const { workspace, signal, item } = assignment;
  const words = workspace.sandboxed ? spec.argv : (spec.unconfined ?? spec.argv);
  const argv = words.map((word) => fillPlaceholders(word, item));
  let failure: string | undefined;
  const handle = (event: AgentEvent): void => {
    for (const call of event.tools) assignment.onTool(stamp(call, assignment.now()));
    failure = event.error ?? failure;
  };
  const eventsFile = join(workspace.scratch.host, 'events.ndjson');
  const reports = followFile(eventsFile, (line) => {
    if (spec.events === undefined) handle(readReport(line));
  });
  const readReport = createReportReader();
  // The command may run with a different uid inside its sandbox.
  chmodSync(eventsFile, 0o666);
  const ownCall: Omit<RecordedToolCall, 'startTime'> = {
    id: 'command',
    name: 'command',
    input: { argv },
    status: 'pending',
  };
  if (spec.events === undefined) assignment.onTool(stamp(ownCall, assignment.now()));
  const child = workspace.spawn(argv, {
    env: { ...assignment.env, DEED_EVENTS: join(workspace.scratch.inside, 'events.ndjson') },
    layer: 'run',
    maxFileBytes: WORK_LIMITS.diskBytes,
  });
  const killing = killWhen(child, { signal });
  const watch = setInterval(reports.poll, WORK_LIMITS.guardEveryMs);
  const lines = new LineSplitter(WORK_LIMITS.eventBytes);
  const handleLine = (line: string): void => {
    if (spec.events !== undefined) handle(spec.events(line));
  };
  child.stdout.on('data', (chunk: Uint8Array) => {
    assignment.onOutput('stdout', chunk);
    lines.push(chunk).forEach(handleLine);
  });
  child.stderr.on('data', (chunk: Uint8Array) => assignment.onOutput('stderr', chunk));
  child.stdin.end(item.description);
  try {
    const { exitCode, signal: ended } = await child.ended;
    lines.end().forEach(handleLine);
    const error =
      exitCode === 0
        ? failure
        : (failure ?? (exitCode === null ? `terminated by ${ended}` : describeExit(exitCode)));
    if (spec.events === undefined) {
      assignment.onTool(
        stamp({ ...ownCall, status: error === undefined ? 'success' : 'error', error }, assignment.now()),
      );
    }
    return { exitCode, error };
  } finally {
    clearInterval(watch);
    killing.release();
    reports.end();
  }
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
