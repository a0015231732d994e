import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { redactText } from '../../base/secrets/redact.ts';
import { LineSplitter } from '../../system/line-splitter.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { runFolder } from './run-folder.ts';

/** The output of a run, line by line in the order of its arrival, next to the receipt and covered by it. */
export const RUN_LOG = 'output.ndjson';

/** `deed`: a message about the run itself. */
export type LogStream = 'stdout' | 'stderr' | 'deed';

/** One line of the file. */
export interface LogLine {
  readonly at: string;
  readonly stream: LogStream;
  readonly text: string;
}

/** Writes the output of an agent while it runs. Contract: the caller must call `end`. */
export interface RunLog {
  readonly push: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
  /** Writes unfinished lines, and the last lines of an output that is too long. */
  readonly end: () => void;
  /** The last lines, masked. */
  readonly tail: () => readonly string[];
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/u;
const KEY_END = /-----END [A-Z ]*PRIVATE KEY-----/u;
const MAX_HELD_LINES = 200;

/** Opens the log of a run. Secrets are masked line by line; the lines of a private key are masked together. */
export function openRunLog(home: string, runId: string, now: () => number): RunLog {
  const last: string[] = [];
  let bytes = 0;
  let omitted = 0;
  const write = (stream: LogStream, text: string, isLast = false): void => {
    if (!isLast && bytes >= WORK_LIMITS.outputBytes) {
      omitted += 1;
      return;
    }
    const line = renderLine(now(), stream, redactText(text));
    if (append(home, runId, line)) bytes += line.length;
    else omitted += 1;
  };
  const accept = (stream: 'stdout' | 'stderr', text: string): void => {
    last.push(text);
    if (last.length > WORK_LIMITS.tailLines) last.shift();
    write(stream, text);
  };
  const outputs = { stdout: createLines('stdout', accept), stderr: createLines('stderr', accept) };
  return {
    push: (stream, chunk) => outputs[stream].push(chunk),
    end: () => {
      for (const stream of ['stdout', 'stderr'] as const) outputs[stream].end();
      if (omitted === 0) return;
      write('deed', `${omitted} lines are left out; the last ones follow`, true);
      for (const text of last) write('stdout', text, true);
    },
    tail: () => redactText(last.join('\n')).split('\n'),
  };
}

/** Adds a message about a run to its log. */
export function noteInLog(home: string, runId: string, nowMs: number, text: string): void {
  append(home, runId, renderLine(nowMs, 'deed', redactText(text)));
}

interface Lines {
  readonly push: (chunk: Uint8Array) => void;
  readonly end: () => void;
}

/** Splits an output into lines; the lines of a private key are held back until its end. */
function createLines(
  stream: 'stdout' | 'stderr',
  accept: (stream: 'stdout' | 'stderr', text: string) => void,
): Lines {
  const splitter = new LineSplitter(WORK_LIMITS.eventBytes, () => accept(stream, '[a line is too long]'));
  let held: string[] = [];
  const flush = (): void => {
    if (held.length > 0) accept(stream, held.join('\n'));
    held = [];
  };
  const take = (line: string): void => {
    if (held.length === 0 && !PRIVATE_KEY.test(line)) return accept(stream, line);
    held.push(line);
    if (KEY_END.test(line) || held.length >= MAX_HELD_LINES) flush();
  };
  return {
    push: (chunk) => splitter.push(new Uint8Array(chunk)).forEach(take),
    end: () => {
      splitter.end().forEach(take);
      flush();
    },
  };
}

function renderLine(nowMs: number, stream: LogStream, text: string): string {
  return `${JSON.stringify({ at: new Date(nowMs).toISOString(), stream, text } satisfies LogLine)}\n`;
}

/** False if the line could not be written: a full disk must not end a run because of its log. */
function append(home: string, runId: string, line: string): boolean {
  try {
    appendFileSync(join(runFolder(home, runId), RUN_LOG), line, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
