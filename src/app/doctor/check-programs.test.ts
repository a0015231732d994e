import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDoctorContext, type DoctorContext } from '../../../test/fixtures/doctor-context.ts';
import { checkDisk } from './check-disk.ts';
import { checkGit } from './check-git.ts';
import { checkSkill } from './check-skill.ts';
import { checkTools, checkToolsIn } from './check-tools.ts';

let context: DoctorContext;
let bin = '';
beforeEach(() => {
  context = createDoctorContext();
  bin = join(context.home, 'bin');
  mkdirSync(bin);
});
afterEach(() => context.dispose());

test('git is missing, does not run, or works', async () => {
  expect(await context.check(checkGit, { env: { PATH: bin } })).toEqual({
    check: 'git',
    status: 'fail',
    message: 'git is not in PATH.',
    fix: 'Install git, or add it to PATH.',
  });
  writeFileSync(join(bin, 'git'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  expect(await context.check(checkGit, { env: { PATH: bin } })).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('exit 3') as string,
  });
  expect(await context.check(checkGit)).toMatchObject({ status: 'pass' });
});

test('a missing optional program is a warning with its effect', async () => {
  const check = (systemPath: string) =>
    context.check((called) => checkToolsIn(called, systemPath), { env: { PATH: bin } });
  expect(await check('/nonexistent')).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('Without bwrap') as string,
    fix: expect.stringContaining('bubblewrap jq') as string,
  });
  const systemFolder = join(context.home, 'sbin');
  mkdirSync(systemFolder);
  symlinkSync('/bin/true', join(systemFolder, 'bwrap'));
  // Runs find it there too.
  expect(await check(systemFolder)).toMatchObject({
    status: 'warn',
    message: expect.not.stringContaining('bwrap') as string,
  });
  for (const name of ['bwrap', 'jq']) symlinkSync('/bin/true', join(bin, name));
  expect(await context.check(checkTools, { env: { PATH: bin } })).toMatchObject({ status: 'pass' });
});

test('a missing Skill is a warning whose fix works with and without Node', async () => {
  symlinkSync('/bin/true', join(bin, 'npx'));
  expect((await context.check(checkSkill, { env: { PATH: bin } })).fix).toBe(
    'npx skills add deed-cli/deed -y -g',
  );
  expect((await context.check(checkSkill, { env: { PATH: '/nonexistent' } })).fix).toBe(
    'deed setup codex --parts skill --dry-run',
  );
});

test('a disk with less free space than one run may write is a warning', async () => {
  expect((await context.check(checkDisk)).message).toMatch(/^\d+ MB are free/u);
  const settings = { 'work.disk_bytes': 9_000_000_000_000_000 };
  writeFileSync(join(context.home, 'config.json'), JSON.stringify(settings));
  expect(await context.check(checkDisk)).toMatchObject({
    status: 'warn',
    fix: expect.stringContaining('deed gc') as string,
  });
});
