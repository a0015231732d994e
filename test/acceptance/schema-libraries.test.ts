import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeProblems } from '../fixtures/check-envelope.ts';
import { ROOT, type Envelope } from '../fixtures/run-deed.ts';

const folder = mkdtempSync(join(tmpdir(), 'libraries-'));

function call(...argv: string[]): Envelope {
  const { status, stdout } = spawnSync(
    join(ROOT, 'node_modules/.bin/node'),
    [join(ROOT, 'test/fixtures/schema-libraries-cli.ts'), ...argv],
    { env: { PATH: process.env.PATH, LIBRARIES_HOME: join(folder, 'home') }, encoding: 'utf8' },
  );
  expect(envelopeProblems({ code: status, stdout })).toEqual([]);
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

describe('commands with schemas of other libraries', () => {
  const { data } = call('reference', '--schema');
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

    it('gives flags, defaults and optional parameters', () => {
      expect(show('--name', 'xy').data).toEqual({ given: { name: 'xy', limit: 5 } });
      expect(
        show('--name', 'xy', '--limit', '7', '--kind', 'b', '--tags', 'c,d', '--place', '{"x":1}').data,
      ).toEqual({ given: { name: 'xy', limit: 7, kind: 'b', tags: ['c', 'd'], place: 1 } });
    });

    it('refuses what is missing, wrong, wrong inside, or unknown, each with its field', () => {
      expect(show('--limit', '0').error).toMatchObject({
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
      expect(show('--input', '{"name":"xy","place":{"x":"1"}}').error).toMatchObject({
        message: `place.x: ${problems.place}.`,
        details: { field: 'place.x' },
      });
      expect(show('--input', '{"name":"xy","nmae":1}').error).toMatchObject({
        message: 'nmae: is not a parameter of this command; did you mean name.',
        details: { field: 'nmae', suggestion: 'name' },
      });
      expect(show('--name', 'xy', '--kind', 'c').error?.details).toMatchObject({ allowed: ['a', 'b'] });
    });

    it('is described in the reference', () => {
      expect(reference(`${library} show`).params).toEqual([
        flag('name', 'string', { required: true, description: 'A name' }),
        // ArkType has defaults for members of objects only; here a function fills it in.
        flag('limit', 'integer', { description: 'How many', ...(library !== 'arktype' && { default: 5 }) }),
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

    it('lets callers select fields of the answer', () => {
      expect(show('--name', 'xy', '--fields', 'given.limit').data).toEqual({ given: { limit: 5 } });
      expect(show('--name', 'xy', '--fields', 'given.limits').error?.details).toMatchObject({
        suggestion: 'given.limit',
      });
    });
  });

  it('mix with the page parameters and the page of the library', () => {
    expect(call('paged', 'list', '--limit', '2', '--fields', 'name').data.items).toEqual([{ name: 'n2' }]);
    expect(call('paged', 'list', '--limit', '1001').error?.message).toBe('--limit: must be at most 1000.');
    expect(data.schemas.paged_list.fields).toContain('items[].inside[].x');
    const { output } = data.json_schemas['paged list'];
    const accepts = new Ajv2020({ allowUnionTypes: true }).compile(output as object);
    expect(accepts(call('paged', 'list').data)).toBe(true);
  });

  it('may check asynchronously and may contain themselves', () => {
    expect(call('async', 'show', '--name', 'taken').error?.message).toBe('--name: is taken.');
    const tree = { name: 'a', children: [{ name: 'b', children: [] }] };
    expect(call('async', 'show', '--name', 'x', '--tree', JSON.stringify(tree)).data).toEqual({
      name: 'x',
      tree,
    });
    const accepts = new Ajv2020().compile(data.json_schemas['async show'].input as object);
    expect([
      accepts({ name: 'x', tree }),
      accepts({ name: 'x', tree: { name: 'a', children: [{}] } }),
    ]).toEqual([true, false]);
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

  it.each(programs.map((code, index) => [index, code] as const))('number %i runs', (index, code) => {
    const file = join(place, `program-${index}.mts`);
    writeFileSync(file, code);
    const env = { PATH: process.env.PATH, GREETER_HOME: join(folder, 'greeter') };
    const hello = (...argv: string[]) => {
      const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/node'), [file, 'hello', ...argv], {
        env,
        encoding: 'utf8',
      });
      return JSON.parse(stdout) as Envelope;
    };
    expect(hello('--name', 'Ada').data).toEqual({ text: 'Hello Ada!' });
    expect(hello('--name', 'Ada', '--times', '2').data).toEqual({ text: 'Hello Ada! Hello Ada!' });
    expect(hello('--name', 'Ada', '--times', '0').error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'times', problem: expect.stringMatching(/1/u) },
    });
  });
});
