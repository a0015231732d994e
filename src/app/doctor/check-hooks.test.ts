import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDoctorContext, type DoctorContext } from '../../../test/fixtures/doctor-context.ts';
import { applyHookChange, planInstall, type HookHost } from '../../continuity/hooks/hook-files.ts';
import { checkHooks } from './check-hooks.ts';

let context: DoctorContext;
let settings = '';
beforeEach(() => {
  context = createDoctorContext();
  settings = join(context.home, '.claude/settings.json');
  mkdirSync(join(context.home, '.claude'));
});
afterEach(() => context.dispose());

function install(host: HookHost): void {
  const location = { userHome: context.home, cwd: context.home, env: {}, project: false };
  applyHookChange(planInstall(host, location, [context.vybe]));
}

const foreign = { hooks: [{ type: 'command', command: 'echo hello' }] };
const handlers = { SessionStart: 'session-start', UserPromptSubmit: 'prompt', SessionEnd: 'session-end' };
/** Settings with hooks that call another program. */
const settingsFor = (program: string): string =>
  JSON.stringify({
    hooks: Object.fromEntries(
      Object.entries(handlers).map(([event, handler]) => [
        event,
        [foreign, { hooks: [{ type: 'command', command: `${program} hook ${handler}`, timeout: 10 }] }],
      ]),
    ),
  });

test('a host that was never started is not called missing: the check of setup may find its program', async () => {
  rmSync(join(context.home, '.claude'), { recursive: true });
  expect(await context.check(checkHooks)).toMatchObject({
    status: 'pass',
    message: 'Neither Claude Code nor OpenCode has been used on this account.',
  });
});

test('a host without hooks, or with some of them missing, is a warning', async () => {
  expect(await context.check(checkHooks)).toEqual({
    check: 'hooks',
    status: 'warn',
    message: 'Claude Code does not record sessions: the hooks are not installed.',
    fix: 'deed hook install --claude --dry-run',
  });
  install('claude');
  expect(await context.check(checkHooks)).toMatchObject({
    status: 'pass',
    message: 'Claude Code: installed.',
  });
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as { hooks: Record<string, unknown> };
  delete hooks.SessionStart;
  writeFileSync(settings, JSON.stringify({ hooks }));
  expect(await context.check(checkHooks)).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('some hooks are missing') as string,
    fix: 'deed hook install --claude --dry-run',
  });
  writeFileSync(settings, '{');
  await expect(context.check(checkHooks)).rejects.toMatchObject({ code: 'E_CONFIG' });
});

test.each([
  `${process.execPath} ${process.execPath.replace(/node$/u, 'vybe.cjs')}`,
  '/opt/no such folder/vybe',
  'no-such-folder/vybe',
])('hooks that call %s, which does not exist, are a warning', async (program) => {
  writeFileSync(settings, settingsFor(program));
  expect(await context.check(checkHooks)).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('which does not exist') as string,
    fix: 'deed hook install --claude --dry-run',
  });
});

test('hooks of version 0.1.0 are a warning even if its script exists, and a new install replaces them', async () => {
  const script = join(context.home, 'dist/bin/vybe.cjs');
  mkdirSync(join(context.home, 'dist/bin'), { recursive: true });
  writeFileSync(script, '');
  writeFileSync(settings, settingsFor(`${process.execPath} ${script}`));
  expect(await context.check(checkHooks)).toMatchObject({
    status: 'warn',
    message: `The hooks of Claude Code call ${process.execPath} ${script}, which belongs to an older version.`,
  });
  install('claude');
  expect(await context.check(checkHooks)).toMatchObject({ status: 'pass' });
  const installed = JSON.parse(readFileSync(settings, 'utf8')) as { hooks: { SessionStart: unknown[] } };
  expect(installed.hooks.SessionStart).toEqual([
    foreign,
    {
      hooks: [{ type: 'command', command: expect.stringMatching(/vybe hook session-start$/u), timeout: 10 }],
    },
  ]);
  expect(readFileSync(settings, 'utf8')).not.toContain('.cjs');
});

test('an OpenCode plugin that calls a missing program is a warning, and a new install replaces it', async () => {
  install('claude');
  mkdirSync(join(context.home, '.config/opencode'), { recursive: true });
  install('opencode');
  expect(await context.check(checkHooks)).toMatchObject({ status: 'pass' });
  const plugin = join(context.home, '.config/opencode/plugin/vybe.js');
  const text = readFileSync(plugin, 'utf8');
  const program = 'const PROGRAM = ["/missing/node","/missing/vybe.cjs"];';
  writeFileSync(plugin, text.replace(/^const PROGRAM = .*$/mu, program));
  expect(await context.check(checkHooks)).toMatchObject({
    status: 'warn',
    message: 'The hooks of OpenCode call /missing/node /missing/vybe.cjs, which does not exist.',
    fix: 'deed hook install --opencode --dry-run',
  });
  install('opencode');
  expect(readFileSync(plugin, 'utf8')).toBe(text);
});
