import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkProgram, type Program } from 'deed-cli/conformance';
import { afterAll, describe, expect, it } from 'vitest';
import { removeFolder } from '../../src/system/remove-folder.ts';
import { compileCache, ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const NODE = join(ROOT, 'node_modules/.bin/node');
const BUN = join(ROOT, 'node_modules/.bin/bun');
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

const EXAMPLE = join(ROOT, 'examples/inventory.ts');

/** The program of `examples`, or a changed copy of it. */
function program(start: Program['command'] = [NODE, EXAMPLE], name = 'inventory'): Program {
  return {
    command: start,
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

/** The kit makes dozens of calls, and a compiled program starts ten times as fast as Node; the long suite runs the source. */
function compileExample(): Program['command'] {
  if (LONG) return [NODE, EXAMPLE];
  const target = join(folder, 'inventory-compiled');
  const build = ['build', '--compile', '--bytecode', '--format=esm', '--external', 'koffi'];
  const { status, stderr } = spawnSync(BUN, [...build, EXAMPLE, '--outfile', target], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return [target];
}

describe('the conformance kit', () => {
  it('passes a program of two reads, a write, a batch, a stream and a step for a person', () => {
    const { ok, problems, findings } = checkProgram(program(compileExample()), CALLS);
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

  it.runIf(LONG)('finds an answer that does not match its schema, and a command without a call', () => {
    // The copy resolves the library of the checkout.
    const copy = join(ROOT, '.cache/wrong.ts');
    const right = 'run: async ({ id }) => find(id)';
    const wrong = 'run: async ({ id }) => ({ ...find(id), count: "3" }) as never';
    writeFileSync(copy, readFileSync(EXAMPLE, 'utf8').replace(right, wrong));
    const { problems } = checkProgram(program([LONG ? NODE : BUN, copy], 'wrong'), {
      calls: { 'item get': ['nut'] },
    });
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
