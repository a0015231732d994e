import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIN_LANDLOCK_ABI } from '../../src/system/confinement/confinement.ts';
import { readLandlockAbi } from '../../src/system/confinement/landlock-abi.ts';
import { copiedExecutable } from '../fixtures/copied-executable.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, shells, type WorkBench } from '../fixtures/work-bench.ts';

/** A sandbox in a user namespace shows files like bubblewrap. */
const ISOLATIONS = ['bubblewrap', 'landlock', ...(LONG ? ['namespace'] : [])];
const hasLandlock = (await readLandlockAbi()) >= MIN_LANDLOCK_ABI;

/** As after a download: nothing was installed, and the folder of the executable has everything else in it. */
describe('deed in a folder that contains its home', () => {
  let bench: WorkBench;
  let folder = '';
  const at = (name: string): string => join(folder, name);
  const call = (): string =>
    ['deed', 'vybe'].map((name) => `${at(name)} --version > /dev/null && echo ${name}`).join('; ');
  const run = (isolation: string, script: string): ReturnType<WorkBench['deed']> => {
    const settings = { 'work.agents': shells(), 'work.isolation': isolation, 'work.allow_unsandboxed': true };
    writeFileSync(join(bench.home, 'config.json'), JSON.stringify(settings));
    const argv = ['work', 'run', bench.plan(item('x', script))];
    const options = { executable: [at('deed')] };
    const { data } = bench.deed([...argv, '--dry-run'], options).envelope;
    return bench.deed([...argv, '--confirm', data.confirm_token as string], options);
  };
  beforeAll(async () => {
    bench = createBench({}, { ownHome: true });
    folder = dirname(bench.home);
    linkSync(await copiedExecutable(), at('deed'));
    symlinkSync(at('deed'), at('vybe'));
    for (const path of ['notes.txt', 'account/notes.txt', 'home/notes.txt'])
      writeFileSync(at(path), 'private', { mode: 0o600 });
  });
  afterAll(() => bench.dispose());

  it.each(ISOLATIONS.filter((isolation) => hasLandlock || isolation !== 'landlock'))(
    'can be called by an agent, which reads nothing else of the folder (%s)',
    (isolation) => {
      const files = ['notes.txt', 'account/notes.txt', 'home/notes.txt', 'home/config.json'];
      const read = `cat ${files.map(at).join(' ')} 2> /dev/null`;
      const { envelope } = run(isolation, `{ ${call()}; ${read}; true; } > seen.txt`);
      expect(envelope.error).toBeUndefined();
      expect(envelope.data.results[0].isolation).toBe(isolation);
      expect(bench.read('seen.txt')).toBe('deed\nvybe\n');
      rmSync(join(bench.tree, 'seen.txt'));
    },
  );

  it.runIf(process.getuid?.() === 0)('can be called by an agent in a tree of another account', () => {
    chmodSync(folder, 0o755);
    execFileSync('chown', ['-R', '1234', bench.tree]);
    expect(run('bubblewrap', `{ ${call()}; } > seen.txt`).envelope.error).toBeUndefined();
    expect(bench.read('seen.txt')).toBe('deed\nvybe\n');
  });
});
