import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeProblems } from '../fixtures/check-envelope.ts';
import { compileCache, ROOT, type Envelope } from '../fixtures/run-deed.ts';
import { createProgram, runInProcess, SOURCE_LIBRARY } from '../fixtures/run-in-process.ts';
import { schemaLibrariesCommands } from '../fixtures/schema-libraries-commands.ts';
import { LONG } from '../fixtures/start-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'libraries-'));
const home = join(folder, 'home');

/** The commands are defined with the source and called in this process; one test below calls the program on the built library. */
const program = createProgram('libraries', schemaLibrariesCommands(SOURCE_LIBRARY));

async function call(...argv: string[]): Promise<Envelope> {
  const run = await runInProcess(argv, program, { home });
  expect(envelopeProblems(run)).toEqual([]);
  return run.envelope;
}

/** Runs a Node program that answers with an envelope. */
async function runNode(file: string, argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Envelope> {
  const node = join(ROOT, 'node_modules/.bin/node');
  const started = promisify(execFile)(node, [file, ...argv], {
    env: { PATH: process.env.PATH, ...compileCache(), ...env },
    maxBuffer: 16 * 1024 * 1024,
  });
  // An exit code other than zero rejects, with the output in the error.
  const { stdout } = await started.catch((error: { stdout: string }) => error);
  return JSON.parse(stdout) as Envelope;
}

const flag = (name: string, type: string, more: object = {}) => ({
  name,
  flag: `--${name}`,
  type,
  required: false,
  multiple: false,
  description: '',
  ...more,
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('commands with schemas of other libraries', async () => {
  const { data } = await call('reference', '--schema');
  const reference = (path: string) =>
    data.commands.find((command: { path: string }) => command.path === path);

  describe.each([
    [
      'zod',
      {
        limit: 'Too small: expected number to be >=1',
        place: 'Invalid input: expected number, received string',
      },
    ],
    [
      'mini',
      {
        limit: 'Too small: expected number to be >=1',
        place: 'Invalid input: expected number, received string',
      },
    ],
    ['valibot', { limit: 'must be at least 1', place: 'must be of type number' }],
    [
      'wrapped',
      {
        limit: 'Invalid value: Expected >=1 but received 0',
        place: 'Invalid type: Expected number but received "1"',
      },
    ],
    ['arktype', { limit: 'must be at least 1 (was 0)', place: 'x must be a number (was a string)' }],
  ])('%s', (library, problems) => {
    const show = (...argv: string[]) => call(library, 'show', ...argv);

    it('define flags, defaults and optional parameters', async () => {
      expect((await show('--name', 'xy')).data).toEqual({ given: { name: 'xy', limit: 5 } });
      const all = ['--limit', '7', '--kind', 'b', '--tags', 'c,d', '--place', '{"x":1}'];
      expect((await show('--name', 'xy', ...all)).data).toEqual({
        given: { name: 'xy', limit: 7, kind: 'b', tags: ['c', 'd'], place: 1 },
      });
    });

    it('reject missing, invalid, nested invalid and unknown values with their field', async () => {
      expect((await show('--limit', '0')).error).toMatchObject({
        code: 'E_VALIDATION',
        message: '--name: is required.',
        details: {
          field: 'name',
          problems: [
            { field: 'name', problem: 'is required' },
            { field: 'limit', problem: problems.limit },
          ],
        },
      });
      expect((await show('--input', '{"name":"xy","place":{"x":"1"}}')).error).toMatchObject({
        message: `place.x: ${problems.place}.`,
        details: { field: 'place.x' },
      });
      expect((await show('--input', '{"name":"xy","nmae":1}')).error).toMatchObject({
        message: 'nmae: is not a parameter of this command; did you mean name.',
        details: { field: 'nmae', suggestion: 'name' },
      });
      expect((await show('--name', 'xy', '--kind', 'c')).error?.details).toMatchObject({
        allowed: ['a', 'b'],
      });
    });

    it('are described in the reference', () => {
      expect(reference(`${library} show`).params).toEqual([
        flag('name', 'string', { required: true, description: 'A name' }),
        flag('limit', 'integer', { description: 'How many', default: 5 }),
        flag('kind', 'enum', { allowed: ['a', 'b'] }),
        flag('tags', 'string', { multiple: true }),
        flag('place', 'json'),
      ]);
      expect(data.schemas[`${library}_show`].fields).toEqual(
        expect.arrayContaining(['given', 'given.name', 'given.limit']),
      );
      const { input, output } = data.json_schemas[`${library} show`];
      const accepts = new Ajv2020().compile(input as object);
      expect([accepts({ name: 'xy' }), accepts({}), accepts({ name: 'xy', other: 1 })]).toEqual([
        true,
        false,
        false,
      ]);
      expect(new Ajv2020().compile(output as object)({ given: { name: 'xy', limit: 5 } })).toBe(true);
    });

    it('allow field selection', async () => {
      expect((await show('--name', 'xy', '--fields', 'given.limit')).data).toEqual({ given: { limit: 5 } });
      expect((await show('--name', 'xy', '--fields', 'given.limits')).error?.details).toMatchObject({
        suggestion: 'given.limit',
      });
    });
  });

  it('can be combined with PAGE_PARAMETERS and pageOf', async () => {
    expect((await call('paged', 'list', '--limit', '2', '--fields', 'name')).data.items).toEqual([
      { name: 'n2' },
    ]);
    expect((await call('paged', 'list', '--limit', '1001')).error?.message).toBe(
      '--limit: must be at most 1000.',
    );
    expect(data.schemas.paged_list.fields).toContain('items[].inside[].x');
    const { output } = data.json_schemas['paged list'];
    const accepts = new Ajv2020({ allowUnionTypes: true }).compile(output as object);
    expect(accepts((await call('paged', 'list')).data)).toBe(true);
  });

  it('can check asynchronously and be recursive', async () => {
    expect((await call('async', 'show', '--name', 'taken')).error?.message).toBe('--name: is taken.');
    const tree = { name: 'a', children: [{ name: 'b', children: [] }] };
    expect((await call('async', 'show', '--name', 'x', '--tree', JSON.stringify(tree))).data).toEqual({
      name: 'x',
      tree,
    });
    const accepts = new Ajv2020().compile(data.json_schemas['async show'].input as object);
    expect([
      accepts({ name: 'x', tree }),
      accepts({ name: 'x', tree: { name: 'a', children: [{}] } }),
    ]).toEqual([true, false]);
  });

  it.runIf(LONG)('work the same in a program on the built library', async () => {
    const file = join(ROOT, 'test/fixtures/schema-libraries-cli.ts');
    const env = { LIBRARIES_HOME: home };
    const calls = [
      ['wrapped', 'show', '--name', 'xy', '--tags', 'c,d'],
      ['mini', 'show', '--limit', '0'],
    ];
    const [built, ...answers] = await Promise.all(
      [['reference', '--schema'], ...calls].map((argv) => runNode(file, argv, env)),
    );
    expect([built?.data.commands, built?.data.json_schemas]).toEqual([data.commands, data.json_schemas]);
    for (const [index, argv] of calls.entries()) {
      const expected = await call(...argv);
      expect([answers[index]?.data, answers[index]?.error]).toEqual([expected.data, expected.error]);
    }
  });
});

describe('the programs of docs/schema-libraries.md', () => {
  const text = readFileSync(join(ROOT, 'docs/schema-libraries.md'), 'utf8');
  const programs = [...text.matchAll(/```ts\n(.*?)```/gsu)].map(([, code = '']) => code);
  const place = join(folder, 'documented');

  beforeAll(() => {
    mkdirSync(join(place, 'node_modules'), { recursive: true });
    symlinkSync(ROOT, join(place, 'node_modules/deed-cli'));
    for (const name of ['zod', 'valibot', 'arktype'])
      symlinkSync(join(ROOT, 'node_modules', name), join(place, 'node_modules', name));
  });

  it('are one for each library', () => {
    expect(programs.map((code) => /from '(zod|zod\/mini|valibot|arktype)'/u.exec(code)?.[1])).toEqual([
      'zod',
      'zod/mini',
      'valibot',
      'arktype',
    ]);
  });

  const calls = [[], ['--times', '0']];
  it.each(programs.map((code, index) => [index, code] as const).slice(LONG ? 0 : -1))(
    'number %i runs',
    async (index, code) => {
      const file = join(place, `program-${index}.mts`);
      writeFileSync(file, code);
      const [one, none, two] = await Promise.all(
        (LONG ? [...calls, ['--times', '2']] : calls).map((argv) =>
          runNode(file, ['hello', '--name', 'Ada', ...argv], { GREETER_HOME: join(folder, 'greeter') }),
        ),
      );
      expect(one?.data).toEqual({ text: 'Hello Ada!' });
      if (LONG) expect(two?.data).toEqual({ text: 'Hello Ada! Hello Ada!' });
      expect(none?.error).toMatchObject({
        code: 'E_VALIDATION',
        details: { field: 'times', problem: expect.stringMatching(/1/u) },
      });
    },
  );
});
