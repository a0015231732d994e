import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { readStaged } from './read-staged.ts';

const STARTED_AT = Date.UTC(2030, 0, 1);
const NOW = STARTED_AT + 60_000;
const VALID = {
  command: 'task create',
  params: { title: 'x' },
  agent: 'agent-1',
  requestId: 'r1',
  nowMs: STARTED_AT + 1,
  drawn: ['0123456789ab'],
};

describe('the log of staged writes', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let log: string;
  beforeEach(() => {
    folder = temporaryFolder('staged');
    log = join(folder.path, 'stage.ndjson');
  });
  afterEach(() => folder.dispose());
  const read = () =>
    readStaged(log, { agents: ['agent-1@job_1', 'agent-1'], startedAtMs: STARTED_AT, nowMs: NOW });

  it('is read in order, and a missing log has no writes', () => {
    expect(read()).toEqual([]);
    const second = { ...VALID, requestId: null, drawn: ['k3m9p'] };
    writeFileSync(log, `${JSON.stringify(VALID)}\n${JSON.stringify(second)}\n`);
    expect(read()).toEqual([VALID, second]);
  });

  it.each([
    ['text that is not JSON', 'nonsense', 'the line is invalid'],
    ['a command outside the journal', { command: 'config set', params: {} }, 'command is invalid'],
    ['a deletion', { command: 'task delete', params: { id: 'x' } }, 'command is invalid'],
    ['an import', { command: 'store import', params: { from: '/etc/passwd' } }, 'command is invalid'],
    ['another agent', { agent: 'agent-2' }, '"agent-2" is not the agent of the run'],
    ['a deleted memory', { command: 'memory delete', params: { key: 'x' } }, 'command is invalid'],
    ['a removed dependency', { command: 'task remove-dep', params: { id: 'x' } }, 'command is invalid'],
    ['the name of a person', { agent: 'user:root' }, 'agent is invalid'],
    ['a time before the run', { nowMs: STARTED_AT - 5000 }, 'nowMs is outside the time of the run'],
    ['a time in the future', { nowMs: NOW + 5000 }, 'nowMs is outside the time of the run'],
    ['a letter that no id contains', { drawn: ['k3m9u'] }, 'drawn.0 is invalid'],
    ['an invalid random value', { drawn: ["'; drop table tasks"] }, 'drawn.0 is invalid'],
    ['an unknown field', { more: true }, 'the line is invalid'],
  ])('is rejected with %s', (_, change, problem) => {
    writeFileSync(log, typeof change === 'string' ? change : JSON.stringify({ ...VALID, ...change }));
    expect(read).toThrow(
      expect.objectContaining({
        code: 'E_DENIED',
        message: `Invalid journal writes: write 1: ${problem}.`,
      }),
    );
  });

  it.each([
    ['a link', () => symlinkSync('/etc/passwd', log), 'the log cannot be read'],
    ['a pipe', () => execFileSync('mkfifo', [log]), 'the log is not a regular file'],
    ['a folder', () => mkdirSync(log), 'the log is not a regular file'],
    [
      'too many bytes',
      () => writeFileSync(log, Buffer.alloc(5_000_000)),
      'the log has more than 4194304 bytes',
    ],
    ['too many lines', () => writeFileSync(log, '{}\n'.repeat(501)), '501 writes, at most 500 are allowed'],
  ])('is rejected if it is or has %s', (_, create, problem) => {
    create();
    expect(read).toThrow(
      expect.objectContaining({ code: 'E_DENIED', message: `Invalid journal writes: ${problem}.` }),
    );
  });
});
