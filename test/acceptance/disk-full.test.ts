import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed, executable, type Envelope, type Run } from '../fixtures/run-deed.ts';
import { vybe, type VybeRun } from '../fixtures/run-vybe.ts';
import { LONG } from '../fixtures/start-node.ts';

const SET = ['config', 'set', 'list.limit', '7'];
const home = createHome();
const disk = join(home.path, 'disk');
mkdirSync(disk);
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', disk]).status === 0;
if (!mounted) console.warn('Skipped: cannot mount a file system; testing only the size limit.');
afterAll(() => {
  if (mounted) spawnSync('umount', [disk]);
  home.dispose();
});

/** All files of a home with their content, except the audit log: a failed write must not change them. */
function stateOf(path: string): Record<string, string> {
  const names = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names
      .filter(({ name, parentPath }) => name !== 'filler' && !parentPath.endsWith('audit'))
      .map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name), 'utf8')]),
  );
}

describe.runIf(mounted)('on a full disk', () => {
  const path = join(disk, 'home');
  const run = (...argv: string[]): Run => deed(argv, { home: path, env: { TMPDIR: disk }, ownProcess: true });
  const fill = (): void => {
    for (let size = statfsSync(disk).bavail * statfsSync(disk).bsize; size > 0; size -= 4096) {
      try {
        writeFileSync(join(disk, 'filler'), 'x'.repeat(size), { flag: 'a' });
        return;
      } catch {
        // Less may fit.
      }
    }
  };
  beforeAll(() => confirmed(['config', 'set', 'list.limit', '5'], { home: path }));

  it('reads succeed, with a warning if the call cannot be logged', () => {
    fill();
    // The first calls may still fit into the last block of the log.
    let stderr = '';
    for (let count = 0; count < 30 && stderr === ''; count += 1) {
      const read = run('config', 'get', 'list.limit');
      expect([read.code, read.envelope.data.value]).toEqual([0, 5]);
      ({ stderr } = read);
    }
    expect(stderr).toContain('This call is not in the audit log');
    rmSync(join(disk, 'filler'));
  });

  it('a write fails with E_IO and changes nothing, and its token stays valid', () => {
    const token = run(...SET, '--dry-run').envelope.data.confirm_token as string;
    const before = stateOf(path);
    fill();
    const refused = run(...SET, '--confirm', token);
    expect([refused.code, refused.envelope.error]).toMatchObject([
      1,
      { code: 'E_IO', details: { reason: 'ENOSPC' } },
    ]);
    expect(stateOf(path)).toEqual(before);
    rmSync(join(disk, 'filler'));
    expect(run(...SET, '--confirm', token).envelope.data).toMatchObject({ value: 7, previous: 5 });
    expect(run('audit', 'verify').envelope.data.valid).toBe(true);
  });

  it('a failed write leaves no incomplete request record', () => {
    const argv = [...SET, '--request-id', 'full'];
    const token = run(...argv, '--dry-run').envelope.data.confirm_token as string;
    fill();
    expect(run(...argv, '--confirm', token).envelope.error?.code).toBe('E_IO');
    rmSync(join(disk, 'filler'));
    expect(confirmed(argv, { home: path }).envelope.data).toMatchObject({ value: 7 });
  });
});

describe.runIf(mounted)('after a push that did not fit on the disk', () => {
  const larger = join(home.path, 'larger');
  beforeAll(() => {
    mkdirSync(larger);
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=700', 'tmpfs', larger]);
  });
  afterAll(() => void spawnSync('umount', [larger]));

  // In the short suite nothing is free, or a little.
  it.each(LONG ? [0, 4096, 8192, 40_960] : [0, 8192])(
    'the journal can be read (%i bytes are free)',
    (free) => {
      const own = { home: join(larger, 'home') };
      const push = (id: string): VybeRun => {
        const json = JSON.stringify({ event: { kind: 'note', message: id } });
        return vybe(['push', '--agent', 'a', '--request-id', id, '--json', json], {
          ...own,
          ownProcess: true,
        });
      };
      expect(push(`before-${free}`).code).toBe(0);
      const { bavail, bsize } = statfsSync(larger);
      writeFileSync(join(larger, 'filler'), 'x'.repeat(bavail * bsize - free));
      expect(push(`full-${free}`).answer.error_code).toBe('E_IO');
      const read = deed(['events', 'list', '--all'], { ...own, ownProcess: true });
      expect([read.code, read.envelope.data?.items?.[0]?.message]).toEqual([0, `before-${free}`]);
      rmSync(join(larger, 'filler'));
      expect(push(`full-${free}`).code).toBe(0);
    },
  );
});

describe('a limit on the size of files', () => {
  it('makes a larger write fail with E_IO, and keeps the old content', () => {
    const path = join(home.path, 'limited');
    confirmed(['config', 'set', 'list.limit', '5'], { home: path });
    // Large enough that the next write exceeds the limit, but a line of the log does not.
    const config = join(path, 'config.json');
    writeFileSync(config, JSON.stringify({ 'list.limit': 5, 'future.setting': 'x'.repeat(100_000) }));
    const before = readFileSync(config, 'utf8');
    const token = deed([...SET, '--dry-run'], { home: path }).envelope.data.confirm_token as string;
    const words = [...executable(), ...SET, '--confirm', token].map((word) => `'${word}'`);
    const { status, stdout } = spawnSync('bash', ['-c', `ulimit -f 32; exec ${words.join(' ')}`], {
      env: { PATH: process.env.PATH, HOME: path, DEED_HOME: path },
      encoding: 'utf8',
    });
    expect([status, (JSON.parse(stdout) as Envelope).error]).toMatchObject([
      1,
      { code: 'E_IO', details: { path: config, reason: 'EFBIG' } },
    ]);
    expect([
      readFileSync(config, 'utf8') === before,
      readdirSync(path).filter((name) => name.endsWith('.tmp')),
    ]).toEqual([true, []]);
  });
});
