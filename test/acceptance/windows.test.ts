import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { executable } from '../fixtures/run-deed.ts';

/** Simulates Windows: a preload replaces the platform before the first line of the executable runs. */
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-windows-'));
  writeFileSync(
    join(folder, 'windows.cjs'),
    "Object.defineProperty(process, 'platform', { value: 'win32' });\n",
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(name: Parameters<typeof executable>[0], ...argv: readonly string[]) {
  const [program, ...first] = executable(name);
  const preload = join(folder, 'windows.cjs');
  const { status, stdout, stderr } = spawnSync(program, [...first, ...argv], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_OPTIONS: `--require=${preload}`,
      BUN_OPTIONS: `--preload=${preload}`,
    },
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

const MESSAGE = /does not run on Windows; it runs on Linux/u;

it('deed fails on Windows with a hint to use WSL', () => {
  const { code, stdout, stderr } = run('deed', 'context');
  expect([code, JSON.parse(stdout), stderr]).toMatchObject([
    4,
    {
      ok: false,
      error: {
        code: 'E_CONFIG',
        message: expect.stringMatching(MESSAGE),
        details: { hint: expect.stringContaining('wsl --install') },
      },
    },
    '',
  ]);
});

it.each([
  ['vybe', ['status'], 1],
  ['pt', ['agent', 'plan'], 10],
  ['ai-agent', ['sys', 'user'], 4],
] as const)('%s fails too, by its own contract and without a stack trace', (name, argv, exit) => {
  const { code, stdout, stderr } = run(name, ...argv);
  expect(code).toBe(exit);
  expect(stdout + stderr).toMatch(MESSAGE);
  expect(stdout + stderr).not.toMatch(/^\s+at /mu);
});
