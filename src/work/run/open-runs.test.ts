import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { createId } from '../../base/ids.ts';
import { bootId } from '../../system/process-identity.ts';
import { forgetUnstarted } from '../plan/forget-unstarted.ts';
import { listOpen, markOpen, readOpenIfKnown } from './open-runs.ts';
import { runFolder } from './run-folder.ts';
import { clearRunState, writeRunState } from './run-state.ts';

describe('the list of open runs', () => {
  let home: string;
  let clock = 0;
  const newRun = (): string => createId('run', Date.now() + (clock += 1));
  const mark = (id: string): string => join(home, 'runs/open', id);
  beforeEach(() => {
    const folder = temporaryFolder('open-runs');
    home = folder.path;
    return () => folder.dispose();
  });
  /** The folders that a version without marks leaves: an open run, and an ended run. */
  const writeOld = (): string => {
    const [open, ended] = [newRun(), newRun()];
    for (const id of [open, ended]) mkdirSync(runFolder(home, id), { recursive: true });
    writeFileSync(join(runFolder(home, open), 'state.json'), '{}');
    writeFileSync(join(runFolder(home, ended), 'RECEIPT.json'), '{}');
    return open;
  };

  it('has the runs with a state, newest first, and an empty home has none', () => {
    expect(listOpen(home)).toEqual([]);
    expect(existsSync(join(home, 'runs'))).toBe(false);
    const [first, second, third] = [newRun(), newRun(), newRun()];
    for (const id of [first, second, third]) writeRunState(home, id, 'running');
    clearRunState(home, second);
    expect(listOpen(home)).toEqual([third, first]);
  });

  it.runIf(bootId() !== '')('finds the runs of an older version once after each start of the machine', () => {
    const found = writeOld();
    expect(readOpenIfKnown(home)).toBeUndefined();
    expect(existsSync(join(home, 'runs/open'))).toBe(false);
    expect(listOpen(home)).toEqual([found]);
    expect(readOpenIfKnown(home)).toEqual([found]);
    const later = writeOld();
    expect(listOpen(home)).toEqual([found]);
    writeFileSync(join(home, 'runs/open/complete-since'), 'an earlier start');
    expect(listOpen(home)).toEqual([later, found]);
  });

  it('forgets a run that never wrote anything, but not one that is about to start', () => {
    const [old, recent] = [newRun(), newRun()];
    for (const id of [old, recent]) markOpen(home, id);
    utimesSync(mark(old), new Date(), new Date(Date.now() - 2 * 86_400_000));
    forgetUnstarted(home, Date.now());
    expect([existsSync(mark(old)), existsSync(mark(recent))]).toEqual([false, true]);
  });
});
