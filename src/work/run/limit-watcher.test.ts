import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { followFile } from '../executors/follow-file.ts';
import { truncateCall } from './truncate-call.ts';
import { collectOutput } from './collect-output.ts';
import { startLimitWatcher } from './limit-watcher.ts';
import type { RecordedToolCall } from './run-capsule.ts';

const LIMITS = { maxToolOps: 2, timeoutMs: 60_000, diskBytes: 100 };
const call = (id: string, more: Partial<RecordedToolCall> = {}): RecordedToolCall => ({
  id,
  name: 'x',
  input: 1,
  startTime: 'then',
  status: 'pending',
  ...more,
});
const never = (): AbortSignal => new AbortController().signal;
const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('the guard', () => {
  it('stops at the first tool call beyond the limit, and ignores further calls', () => {
    const watcher = startLimitWatcher(LIMITS, () => 0, never());
    for (const id of ['a', 'b']) watcher.onTool(call(id));
    expect(watcher.signal.aborted).toBe(false);
    for (let count = 0; count < 1000; count += 1) watcher.onTool(call(`more-${count}`));
    expect(watcher.signal.aborted).toBe(true);
    expect(watcher.trace().length).toBe(3);
    expect(watcher.stop()).toEqual({ kind: 'tools', reason: 'Exceeded max tool ops: 3 > 2' });
  });

  it('counts a call once, with its start and its end', () => {
    const watcher = startLimitWatcher(LIMITS, () => 0, never());
    const events = [
      call('a', { name: 'Edit', input: { file: 'f' } }),
      call('a', { name: '', input: null, output: 'ok', status: 'success', startTime: 'now', endTime: 'now' }),
    ];
    expect(events.map(watcher.onTool)).toEqual([true, false]);
    expect(watcher.trace()).toEqual([
      {
        id: 'a',
        name: 'Edit',
        input: { file: 'f' },
        output: 'ok',
        status: 'success',
        startTime: 'then',
        endTime: 'now',
      },
    ]);
    expect(watcher.stop()).toBeUndefined();
  });

  it('stops at the timeout', async () => {
    const watcher = startLimitWatcher({ ...LIMITS, timeoutMs: 5 }, () => 0, never());
    await stopped(watcher.signal);
    expect(watcher.stop()).toEqual({ kind: 'time', reason: 'Timed out after 5 ms' });
  });

  it('stops when too many bytes are written, and checks again at the end', async () => {
    const watcher = startLimitWatcher(LIMITS, () => 101, never());
    await stopped(watcher.signal);
    expect(watcher.stop()).toEqual({ kind: 'disk', reason: 'Exceeded max disk bytes: 101 > 100' });
    expect(startLimitWatcher(LIMITS, () => 102, never()).stop()?.kind).toBe('disk');
  });

  it('stops when the caller cancels, even before the start', () => {
    const outer = new AbortController();
    outer.abort();
    const watcher = startLimitWatcher(LIMITS, () => 0, outer.signal);
    expect([watcher.signal.aborted, watcher.stop()?.kind]).toEqual([true, 'interrupted']);
  });
});

describe('a recorded tool call', () => {
  it('is complete if it is short, otherwise truncated with its size and hash', () => {
    const short = call('a', { output: { lines: 3 }, status: 'success' });
    expect(truncateCall(short)).toEqual(short);
    const { input, output } = truncateCall(
      call('b', { input: 'x'.repeat(10_000), output: ['y'.repeat(10_000)] }),
    );
    expect([input, output]).toEqual([
      { begins: `${'x'.repeat(1024)}…`, bytes: 10_000, sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) },
      { begins: `["${'y'.repeat(1022)}…`, bytes: 10_004, sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) },
    ]);
  });
});

describe('a file that is followed', () => {
  it('returns its lines even if the file is renamed and replaced', () => {
    const folder = temporaryFolder('follow');
    const path = join(folder.path, 'events');
    const lines: string[] = [];
    const follower = followFile(path, (line) => lines.push(line));
    appendFileSync(path, 'one\ntw');
    follower.poll();
    appendFileSync(path, 'o\nlast');
    renameSync(path, `${path}.old`);
    writeFileSync(path, 'not mine\n');
    follower.end();
    expect(lines).toEqual(['one', 'two', 'last']);
    folder.dispose();
  });

  it('is read in bounded chunks, so that a fast writer cannot starve the guard', () => {
    const folder = temporaryFolder('flood');
    const path = join(folder.path, 'events');
    let count = 0;
    const follower = followFile(path, () => (count += 1));
    writeFileSync(path, `${'x'.repeat(99)}\n`.repeat(60_000));
    follower.poll();
    expect(count).toBeLessThan(45_000);
    follower.end();
    expect(count).toBe(60_000);
    folder.dispose();
  });
});

describe('a collected output', () => {
  it('is complete if it is short', () => {
    const output = collectOutput(100);
    for (const part of ['a', 'b', 'c']) output.push(Buffer.from(part));
    expect(output.text()).toBe('abc');
  });

  it('has its beginning, its end and the number of omitted bytes', () => {
    const output = collectOutput(20);
    for (let count = 0; count < 100; count += 1) output.push(Buffer.from(String(count).padStart(4, '0')));
    const text = output.text();
    expect(text.startsWith('0000000100')).toBe(true);
    expect(text.endsWith('9700980099'.slice(-10))).toBe(true);
    expect(text).toContain('… 380 bytes left out …');
  });

  it('accepts invalid UTF-8', () => {
    const output = collectOutput(20);
    output.push(Uint8Array.of(0, 255, 254));
    expect(output.text()).toBe('\u0000\uFFFD\uFFFD');
  });
});
