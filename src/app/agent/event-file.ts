import { createWriteStream, fstatSync, openSync, type WriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { llmTotals } from '../../agent/accounting/llm-totals.ts';
import type { SessionEvent } from '../../agent/session-event.ts';
import { Fault } from '../../base/fault.ts';
import { createRedactor } from '../../base/secrets/redact.ts';
import { sleep } from '../../base/sleep.ts';

/** Writes the events of a session, one JSON object per line. */
export interface EventFile {
  readonly write: (event: SessionEvent) => void;
  /** Waits for the events that are not written yet, for a limited time. */
  readonly close: () => Promise<void>;
}

/** A reader that is too slow must not make the session wait or take all memory. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;
const CLOSE_WAIT_MS = 5000;

/** Opens the target of `--events`: a file, to which events are appended, or the number of an open descriptor. */
export function openEventFile(target: string, cwd: string, warn: (message: string) => void): EventFile {
  const stream = /^\d+$/u.test(target)
    ? createWriteStream('', { fd: openDescriptor(Number(target)), autoClose: false })
    : createWriteStream('', { fd: openFile(resolve(cwd, target)) });
  const redact = createRedactor();
  let isBroken = false;
  const stop = (problem: string): void => {
    if (!isBroken) warn(`Events are no longer written to ${target}: ${problem}`);
    isBroken = true;
  };
  stream.on('error', (error) => stop(error.message));
  return {
    write: (event) => {
      if (isBroken) return;
      if (stream.writableLength > MAX_BUFFERED_BYTES) stop('its reader is too slow.');
      else stream.write(`${JSON.stringify(redact(describeEvent(event)))}\n`);
    },
    close: async () => {
      if (!isBroken) await flush(stream);
    },
  };
}

/** The end has totals instead of the conversation and all accounting entries. */
function describeEvent(event: SessionEvent): object {
  if (event.type !== 'session.finished') return event;
  const { conversation: _, accounting, finalReport, ...result } = event.result;
  return { ...event, result: { ...result, report: finalReport, ...llmTotals(accounting) } };
}

function openFile(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw unwritable(path, `Events cannot be written to ${path}: ${code}.`, error);
  }
}

function openDescriptor(fd: number): number {
  const problem = fd === 1 ? 'standard output contains only the report' : unusable(fd);
  if (problem === undefined) return fd;
  throw unwritable(String(fd), `Events cannot be written to descriptor ${fd}: ${problem}.`);
}

function unwritable(value: string, message: string, cause?: unknown): Fault {
  return new Fault('E_VALIDATION', message, {
    hint: 'Pass the path of a file, or a descriptor that is open for writing, such as 3 with 3>events.ndjson.',
    details: { field: 'events', value },
    cause,
  });
}

function unusable(fd: number): string | undefined {
  try {
    fstatSync(fd);
    return fd === 0 ? 'it is standard input' : undefined;
  } catch {
    return 'it is not open';
  }
}

async function flush(stream: WriteStream): Promise<void> {
  const flushed = new AbortController();
  stream.end(() => flushed.abort());
  stream.once('error', () => flushed.abort());
  await sleep(CLOSE_WAIT_MS, flushed.signal);
}
