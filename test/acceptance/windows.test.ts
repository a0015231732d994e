import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundledOnce } from '../fixtures/executable-bundle.ts';
import { ROOT } from '../fixtures/run-deed.ts';

/**
 * Simulates Windows: a preload replaces the platform before the first line runs. The executable accepts no preload, so the same runtime runs
 * its chunks.
 */
let folder = '';
let chunks = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deed-windows-'));
  writeFileSync(
    join(folder, 'windows.cjs'),
    "Object.defineProperty(process, 'platform', { value: 'win32' });\n",
  );
  chunks = (await bundledOnce()).folder;
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(name: string, ...argv: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    join(ROOT, 'node_modules/.bin/bun'),
    ['--preload', join(folder, 'windows.cjs'), join(chunks, 'deed.js'), ...argv],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, DEED_RUN_AS: name }, encoding: 'utf8' },
  );
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
