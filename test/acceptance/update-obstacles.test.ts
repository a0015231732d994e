import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publish } from '../fixtures/release-server.ts';
import { deedAsync, waitFor } from '../fixtures/run-deed.ts';
import { createUpdateBench, NEW, OLD, type UpdateBench } from '../fixtures/update-bench.ts';
import { LONG } from '../fixtures/start-node.ts';

const isRoot = process.getuid?.() === 0;
/** The id of an unprivileged user. */
const UNPRIVILEGED_ID = 65_534;
/** Mounts are made in a mount namespace of the test, so that no cleanup is needed. */
const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

describe('an update', () => {
  let bench: UpdateBench;
  beforeAll(async () => {
    bench = await createUpdateBench();
  });
  afterAll(() => bench.dispose());
  beforeEach(async () => {
    bench.server.reset();
    await bench.publishSmall();
  });

  it('without write access to the folder of the program fails with E_FORBIDDEN and changes nothing', async () => {
    const machine = bench.install();
    const asUnprivileged = isRoot
      ? ['setpriv', `--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, '--clear-groups']
      : [];
    if (isRoot) giveToUnprivileged(machine.home);
    else chmodSync(machine.folder, 0o555);
    const run = await deedAsync(['update'], {
      home: machine.home,
      executable: [...asUnprivileged, machine.executable],
    });
    chmodSync(machine.folder, 0o755);
    expect([run.code, run.envelope.error?.code, run.envelope.error?.retryable]).toEqual([
      4,
      'E_FORBIDDEN',
      false,
    ]);
    expect(run.envelope.error?.message).toContain(`write access to ${machine.folder}`);
    expect(run.envelope.error?.details).toMatchObject({
      stage: 'replace',
      current_version: OLD,
      binary_replaced: false,
      reason: 'EACCES',
    });
    expect([machine.version(), machine.skill(), machine.leftovers()]).toEqual([OLD, undefined, []]);
  });

  it.runIf(canMount)('on a full disk fails with E_IO and changes nothing', async () => {
    await bench.publishSmall(24 * 1024 * 1024);
    const machine = bench.install();
    const disk = join(dirname(machine.folder), 'disk');
    mkdirSync(disk);
    // Enough for the old program and a part of the new one.
    const megabytes = Math.ceil(statSync(machine.executable).size / 1024 / 1024) + 16;
    const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "${disk}" && cp "${machine.executable}" "${disk}/deed" &&
      { "${disk}/deed" update; code=$?; "${disk}/deed" --version --format raw >&2; ls -A "${disk}" >&2; exit $code; }`;
    const run = await deedAsync([], {
      home: machine.home,
      executable: ['unshare', '-m', 'sh', '-c', script],
    });
    expect([run.code, run.envelope.error?.code, run.envelope.error?.retryable]).toEqual([1, 'E_IO', false]);
    expect(run.envelope.error?.message).toContain('The disk is full');
    expect(run.envelope.error?.details).toMatchObject({
      stage: 'replace',
      current_version: OLD,
      binary_replaced: false,
      reason: 'ENOSPC',
    });
    expect(run.stderr.split('\n').slice(-3)).toEqual([OLD, 'deed', '']);
  });

  it('to a program that does not start fails with E_CONFIG and keeps the old one', async () => {
    const here = { version: NEW, platform: platform(), arch: arch() };
    const broken = Buffer.from('\u007FELF for another processor');
    await publish(
      bench.server,
      { ...here, content: { executable: broken, skillFolder: bench.skillFolder } },
      bench.authority,
    );
    const machine = bench.install();
    const run = await machine.run(['update']);
    expect([run.code, run.envelope.error?.code]).toEqual([4, 'E_CONFIG']);
    expect(run.envelope.error?.details).toMatchObject({
      stage: 'replace',
      current_version: OLD,
      binary_replaced: false,
    });
    expect([machine.version(), machine.leftovers()]).toEqual([OLD, []]);
  });

  it.runIf(LONG)(
    'that was killed is repeated from the start by the next one, which removes its files',
    async () => {
      await bench.publishSmall(64 * 1024 * 1024);
      const machine = bench.install();
      const child = machine.start(['update']);
      const ended = waitFor(child);
      await new Promise<void>((resolve) => {
        const poll = setInterval(() => {
          if (!readdirSync(machine.folder).some((name) => name.endsWith('.update'))) return;
          clearInterval(poll);
          resolve();
        }, 2);
      });
      child.kill('SIGKILL');
      await ended;
      expect([machine.version(), readdirSync(machine.folder).length]).toEqual([OLD, 2]);
      const run = await machine.run(['update']);
      expect(run.envelope.data).toMatchObject({ status: 'updated', current_version: NEW });
      expect([machine.version(), machine.skill(), machine.leftovers()]).toEqual([NEW, 'the new Skill', []]);
    },
  );

  it('of a program that was started through a link replaces the program and keeps the link', async () => {
    const machine = bench.install();
    const real = join(dirname(machine.folder), 'real');
    copyFileSync(machine.executable, real);
    spawnSync('ln', ['-sf', real, machine.executable]);
    const run = await machine.run(['update']);
    expect(run.envelope.data).toMatchObject({ status: 'updated' });
    expect(spawnSync('readlink', [machine.executable], { encoding: 'utf8' }).stdout.trim()).toBe(real);
    expect(machine.version()).toBe(NEW);
  });

  it('links the Skill into the skill folder of Claude Code and keeps other skills', async () => {
    const machine = bench.install();
    const other = join(machine.home, '.claude/skills/mine');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'SKILL.md'), 'mine');
    const { envelope } = await machine.run(['update']);
    expect(envelope.data.skill_folders).toEqual([
      join(machine.home, '.agents/skills/deed'),
      join(machine.home, '.claude/skills/deed'),
    ]);
    expect(readdirSync(join(machine.home, '.claude/skills')).sort()).toEqual(['deed', 'mine']);
    expect(readdirSync(join(machine.home, '.claude/skills/deed'))).toEqual(['SKILL.md']);
  });
});

function giveToUnprivileged(home: string): void {
  chownSync(home, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  chownSync(join(home, 'config.json'), UNPRIVILEGED_ID, UNPRIVILEGED_ID);
}
