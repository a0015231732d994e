import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { anyText } from '../../../test/fixtures/any-text.ts';
import { createKernelContext } from '../../../test/fixtures/kernel-context.ts';
import { LONG } from '../../../test/fixtures/start-node.ts';
import { deedTool } from '../../app/deed-tool.ts';
import { Fault } from '../../base/fault.ts';
import { STANDARD_COMMANDS } from '../../commands/standard-commands.ts';
import { DEED_COMMANDS } from '../../commands/table.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import type { Invocation } from '../../contract/invocation.ts';
import { createTable } from '../../contract/command-table.ts';
import { validateParameters } from '../../contract/validate-parameters.ts';
import { isOn, readOutputOptions } from './output-options.ts';
import { parseArgv } from './parse-argv.ts';

const context = createKernelContext();
writeFileSync(join(context.system.cwd, 'input.json'), '{"key":"list.limit"}');
afterAll(() => context.dispose());

/** Loading every command takes longer than parsing thousands of command lines. */
const COMMANDS = LONG ? DEED_COMMANDS : STANDARD_COMMANDS;

const host: DialectHost = {
  tool: deedTool,
  table: createTable(COMMANDS),
  system: context.system,
  output: {
    stdout: () => undefined,
    stderr: () => undefined,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    columns: 80,
  },
};
const parse = (...argv: string[]): Promise<Invocation> => parseArgv(argv, host);

test('a command line is parsed into a command, its parameters and the global flags', async () => {
  const { command, ...rest } = await parse(
    '--compact',
    'config',
    'unset',
    'a',
    'b',
    '--dry-run',
    '--request-id=r',
    '--continue-on-error',
    'false',
  );
  expect(command.path).toBe('config unset');
  expect(rest).toEqual({
    params: { keys: ['a', 'b'] },
    fields: undefined,
    dryRun: true,
    confirm: undefined,
    dangerous: false,
    continueOnError: false,
    requestId: 'r',
  });
});

test('parameters can come from a file', async () => {
  expect((await parse('config', 'get', '--input', '@input.json')).params).toEqual({ key: 'list.limit' });
});

test('a comment that the shell passed on is named as one', async () => {
  await expect(parse('config', 'list', '#', 'all', 'settings')).rejects.toMatchObject({
    code: 'E_USAGE',
    hint: expect.stringContaining('setopt interactivecomments'),
  });
  await expect(parse('config', 'list', 'all')).rejects.toMatchObject({
    hint: 'It accepts only flags: --limit, --cursor.',
  });
});

test('--help and --version take precedence before --, and have no effect after it', async () => {
  expect((await parse('config', 'get', '--help')).command.path).toBe('--help');
  expect((await parse('--version', 'config', 'get')).command.path).toBe('--version');
  expect((await parse('config', 'get', '--', '--help')).params).toEqual({ key: '--help' });
  expect((await parse('config', 'get', 'x', '--help', 'false')).command.path).toBe('config get');
});

test('output options are read from any command line', () => {
  expect(readOutputOptions(['nope', '--format', 'text', '--quiet'])).toEqual({
    format: 'text',
    compact: false,
    quiet: true,
  });
  expect(readOutputOptions(['--help']).format).toBe('text');
  expect(readOutputOptions(['--help', '--json']).format).toBe('json');
  expect(readOutputOptions(['demo'], () => true).format).toBe('text');
  expect(readOutputOptions(['demo', '--format', 'json'], () => true).format).toBe('json');
  expect(readOutputOptions(['demo', '--json'], () => true).format).toBe('json');
  expect(readOutputOptions(['demo'], () => false).format).toBe('json');
  expect(readOutputOptions(['context'], () => true).format).toBe('json');
  expect(readOutputOptions(['--format']).format).toBe('json');
  expect(readOutputOptions(['--format', 'xml']).format).toBe('json');
  expect(readOutputOptions(['--', '--format', 'text', '--compact'])).toEqual({
    format: 'json',
    compact: false,
    quiet: false,
  });
  expect([
    isOn(['--a'], '--a'),
    isOn(['--a', 'false'], '--a'),
    isOn(['--a=true'], '--a'),
    isOn(['--', '--a'], '--a'),
  ]).toEqual([true, false, true, false]);
});

test('any command line gives a call or a fault with a code', { timeout: 60_000 }, async () => {
  const words = Object.keys(COMMANDS).flatMap((path) => path.split(' '));
  const flags = [
    '--format',
    '--json',
    '--compact',
    '--input',
    '--fields',
    '--dry-run',
    '--confirm',
    '--limit',
    '--keys',
    '--key',
  ];
  const word = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...words) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...flags, '--help', '--version', '--', '-', '@input.json', '{}', 'true'),
    },
    { weight: 1, arbitrary: anyText() },
    { weight: 1, arbitrary: fc.string().map((text) => `--${text}`) },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  );
  const codes = ['E_USAGE', 'E_VALIDATION', 'E_NOT_FOUND', 'E_IO', 'E_FORBIDDEN'];
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 8 }), async (argv) => {
      readOutputOptions(argv);
      try {
        const invocation = await parse(...argv);
        await validateParameters(invocation.command, invocation.params);
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
        expect(codes).toContain((error as Fault).code);
      }
    }),
    { numRuns: process.env.DEED_TEST_LONG === '1' ? 3000 : 100 },
  );
});
