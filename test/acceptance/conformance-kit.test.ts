import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkProgram, type Program } from 'deed-cli/conformance';
import { afterAll, describe, expect, it } from 'vitest';
import { removeFolder } from '../../src/system/remove-folder.ts';
import { compileCache, ROOT } from '../fixtures/run-deed.ts';

const NODE = join(ROOT, 'node_modules/.bin/node');
const folder = mkdtempSync(join(tmpdir(), 'inventory-'));
afterAll(() => removeFolder(folder));
writeFileSync(join(folder, 'stock.json'), JSON.stringify([{ id: 'nut', name: 'Nut', count: 3 }]));

const CALLS = {
  calls: {
    'item list': [],
    'item get': ['nut'],
    'item put': ['--id', 'bolt', '--count', '5'],
    'item remove': ['--ids', 'bolt,nothing'],
    'item export': [],
  },
  humanSteps: { 'stock sign': [] },
};

/** A program of `examples`, or a changed copy of it. */
function program(change: (source: string) => string = (source) => source, name = 'inventory.ts'): Program {
  const source = readFileSync(join(ROOT, 'examples/inventory.ts'), 'utf8');
  // The copy resolves the library of the checkout.
  const file = join(ROOT, '.cache', name);
  const changed = change(source);
  if (changed !== source) writeFileSync(file, changed);
  return {
    command: [NODE, changed === source ? join(ROOT, 'examples/inventory.ts') : file],
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      ...compileCache(),
      HOME: folder,
      INVENTORY_HOME: join(folder, name),
      INVENTORY_FILE: join(folder, 'stock.json'),
    },
  };
}

describe('the conformance kit', () => {
  it('passes a program of two reads, a write, a batch, a stream and a step for a person', () => {
    const { ok, problems, findings } = checkProgram(program(), CALLS);
    expect(problems).toEqual([]);
    expect(ok).toBe(true);
    const rules = new Set(findings.map(({ rule }) => rule));
    for (const rule of [
      'accepts a token once',
      'ends with a summary',
      'needs a person',
      'reports each target',
    ])
      expect([...rules]).toContain(rule);
  });

  it('finds an answer that does not match its schema, and a command without a call', () => {
    const wrong = program(
      (source) =>
        source.replace(
          'run: async ({ id }) => find(id)',
          'run: async ({ id }) => ({ ...find(id), count: "3" }) as never',
        ),
      'wrong.ts',
    );
    const { problems } = checkProgram(wrong, { calls: { 'item get': ['nut'] } });
    expect(problems.filter((line) => line.includes('succeeds'))).toEqual([
      expect.stringContaining(
        'item get nut: succeeds: expected success, got E_UNKNOWN (The answer of "item get" does not match its schema',
      ),
    ]);
    expect(problems).toContain('item export: is covered: no call of it was given');
  });
});

describe('error codes of a program', () => {
  const call = (...argv: string[]) => {
    const { command, env, cwd } = program();
    const [file, ...first] = command;
    const { status, stdout } = spawnSync(file, [...first, ...argv], { cwd, env, encoding: 'utf8' });
    return { status, answer: JSON.parse(stdout) };
  };

  it('have their exit code and retryability, and are in reference', () => {
    const { status, answer } = call('item', 'put', '--id', 'huge', '--count', '1000', '--dry-run');
    expect([status, answer.error.code, answer.error.retryable]).toEqual([7, 'E_SHELF_FULL', true]);
    const { data } = call('reference').answer;
    expect(data.error_codes.E_SHELF_FULL).toEqual({ exit: 7, retryable: true });
    expect(data.commands.find(({ path }: { path: string }) => path === 'item put').errors).toContain(
      'E_SHELF_FULL',
    );
  });
});
