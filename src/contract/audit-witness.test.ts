import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespaceCommand } from '../../test/fixtures/pid-namespace.ts';
import { recordWitness, wasWritten } from './audit-witness.ts';

const KEY = new Uint8Array(32).fill(7);
const LINE = { seq: 3, hash: 'abc' };
const HOUR_MS = 60 * 60 * 1000;

describe('the records of last lines', () => {
  let memory: string;
  beforeEach(() => (memory = mkdtempSync(join(tmpdir(), 'witness-'))));
  afterEach(() => rmSync(memory, { recursive: true, force: true }));

  const record = (log: string): void => recordWitness(log, KEY, LINE, memory);
  const records = (): string => join(memory, readdirSync(memory)[0] ?? '');

  /** Creates records of logs that were last written some time ago. */
  function createRecords(prefix: string, count: number, age: number): void {
    const time = new Date(Date.now() - age);
    for (let index = 0; index < count; index++) {
      const path = join(records(), `${prefix}-${index}`);
      writeFileSync(path, '1 abc\n');
      utimesSync(path, time, time);
    }
  }

  it('are found again by their log, and by a copy of it', () => {
    record('/a/log');
    expect(wasWritten('/a/log', KEY, LINE, memory)).toBe(true);
    expect(wasWritten('/copy/log', KEY, LINE, memory)).toBe(true);
    expect(wasWritten('/a/log', KEY, { ...LINE, seq: 4 }, memory)).toBe(false);
    expect(wasWritten('/a/log', new Uint8Array(32), LINE, memory)).toBe(false);
  });

  it('are removed when they are old and there are many, and the recent ones stay', () => {
    record('/a/log');
    createRecords('old', 300, 2 * HOUR_MS);
    createRecords('recent', 300, HOUR_MS / 2);
    record('/b/log');
    const names = readdirSync(records());
    expect(names.filter((name) => name.startsWith('old'))).toEqual([]);
    expect(names.filter((name) => name.startsWith('recent'))).toHaveLength(300);
    expect(wasWritten('/a/log', KEY, LINE, memory)).toBe(true);
  });

  it('are all kept when there are few', () => {
    record('/a/log');
    createRecords('old', 10, 2 * HOUR_MS);
    record('/b/log');
    expect(readdirSync(records()).filter((name) => name.startsWith('old'))).toHaveLength(10);
  });

  it('are looked at by the first new log of ten minutes only', () => {
    record('/a/log');
    createRecords('old', 300, 2 * HOUR_MS);
    record('/b/log');
    createRecords('old', 300, 2 * HOUR_MS);
    record('/c/log');
    expect(existsSync(join(records(), 'old-0'))).toBe(true);
    const longAgo = new Date(Date.now() - 11 * 60 * 1000);
    utimesSync(join(records(), 'removed'), longAgo, longAgo);
    record('/d/log');
    expect(existsSync(join(records(), 'old-0'))).toBe(false);
  });

  it.runIf(namespaceCommand !== null && process.getuid?.() === 0)(
    'are removed where no more files can be created, and the new one is kept',
    () => {
      const script = join(import.meta.dirname, '../../test/fixtures/processes/fill-records.ts');
      const mount = `mount -t tmpfs -o nr_inodes=400 tmpfs '${memory}'`;
      const { stdout, stderr } = spawnSync(
        'unshare',
        ['--mount', 'sh', '-c', `${mount} && '${process.execPath}' '${script}' '${memory}'`],
        { encoding: 'utf8' },
      );
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({ isFull: true, isRecorded: true, old: 0 });
    },
  );
});
