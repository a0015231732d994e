import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendSealed, readSealedLines } from './sealed-file.ts';

const CONTEXT = { key: Buffer.alloc(32, 7), sessionId: 'sess-1', name: 'audit.jsonl' };

describe('a sealed log', () => {
  let folder = '';
  const log = (): string => join(folder, 'audit.jsonl');
  const append = (event: string): void => appendSealed(log(), { event }, CONTEXT);
  const events = (): unknown[] => readSealedLines(log(), CONTEXT).map(({ event }) => event);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'deed-sealed-'));
    append('one');
    append('two');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('continues after half a line, which a killed process or a full disk leaves', () => {
    appendFileSync(log(), '{"event":"thr');
    expect(events()).toEqual(['one', 'two']);
    append('three');
    expect(events()).toEqual(['one', 'two', 'three']);
  });

  it.each([
    ['that was emptied', () => ''],
    ['that was cut at the end of a line', (text: string) => text.slice(0, text.indexOf('\n') + 1)],
    ['with a changed line', (text: string) => text.replace('two', 'six')],
  ])('%s is damaged', (_name, change) => {
    writeFileSync(log(), change(readFileSync(log(), 'utf8')));
    expect(events).toThrow(expect.objectContaining({ code: 'E_DAMAGED' }));
  });

  it('is damaged by every changed bit', () => {
    const bytes = readFileSync(log());
    const accepted = [...bytes.keys()].filter((index) =>
      [1, 4, 64].some((bit) => {
        const changed = Buffer.from(bytes);
        changed[index] = (changed[index] ?? 0) ^ bit;
        writeFileSync(log(), changed);
        try {
          return events().length > 0;
        } catch (error) {
          expect(error).toMatchObject({ code: 'E_DAMAGED' });
          return false;
        }
      }),
    );
    expect(accepted).toEqual([]);
  });

  it('may start with lines of version 0.1.0, which have no seal', () => {
    rmSync(join(folder, 'audit.count.json'));
    writeFileSync(log(), '{"event":"one"}\n{"event":"two"}\n');
    expect(events()).toEqual(['one', 'two']);
    append('three');
    append('four');
    expect(events()).toEqual(['one', 'two', 'three', 'four']);
    writeFileSync(log(), readFileSync(log(), 'utf8').replace(/,"seal":"[^"]*"\}\n$/u, '}\n'));
    expect(events).toThrow('without a seal');
  });

  it('is still damaged after a further line, if it had lost some', () => {
    writeFileSync(log(), '');
    append('three');
    expect(events).toThrow(expect.objectContaining({ code: 'E_DAMAGED' }));
  });

  it('gets its number of lines again if that was lost', () => {
    rmSync(join(folder, 'audit.count.json'));
    append('three');
    writeFileSync(log(), '');
    expect(events).toThrow('it had 3');
  });
});
