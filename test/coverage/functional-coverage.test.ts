import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RECORD_FOLDER, type InvocationRecord } from '../fixtures/invocation-record.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { deed } from '../fixtures/run-deed.ts';

/**
 * Checks what the suites ran. The commands come from the executable's `reference`; a call counts only when a test made it and its
 * answer was recorded: most start the executable, and short ones run from source on its runtime, which the long suite does not do.
 */
interface CommandRow {
  readonly path: string;
  readonly params: { readonly flag: string; readonly position?: number }[];
}

const reference = deed(['reference']).envelope.data as {
  commands: CommandRow[];
  global_flags: Record<string, { flag: string }[]>;
  release_readiness: { fcc_status: string };
};
/** Without an installed Postgres, the tests of these commands are skipped. */
const commands = reference.commands.filter(
  ({ path }) =>
    findPostgres() !== undefined || !/^(?:worker |integrator |work fleet|triage fleet)/u.test(path),
);
/** Each recorded call with its command. */
const calls = readRecords().map((record) => ({ ...record, path: pathOf(record) }));

describe('functional coverage', () => {
  it('is what release_readiness claims', () => {
    expect(reference.release_readiness.fcc_status).toBe('verified');
  });

  it.each(commands)('$path succeeded in a test', ({ path }) => {
    expect(calls.filter((call) => call.path === path && call.code === 0).length).toBeGreaterThan(0);
  });

  it.each(commands)('$path failed in a test', ({ path }) => {
    expect(calls.filter((call) => call.path === path && call.code !== 0).length).toBeGreaterThan(0);
  });

  it.each(commands)('$path ran with each of its parameters', ({ path, params }) => {
    const own = calls.filter((call) => call.path === path);
    const unused = params.filter(
      ({ flag, position }) => !own.some(({ argv }) => uses(argv, path, flag, position)),
    );
    expect(unused.map(({ flag }) => flag)).toEqual([]);
  });

  it('every global flag was used', () => {
    const flags = Object.values(reference.global_flags)
      .flat()
      .map(({ flag }) => flag);
    const unused = flags.filter((flag) => !calls.some(({ argv }) => uses(argv, '', flag)));
    expect(unused).toEqual([]);
  });
});

function pathOf({ argv }: InvocationRecord): string | undefined {
  const words = argv.filter((word) => !word.startsWith('-'));
  const named = reference.commands.filter(({ path }) => {
    const steps = path.split(' ');
    return (
      steps.every((step, index) => words[index] === step) ||
      steps.every((step) => argv.includes(step) && steps.length > 1)
    );
  });
  // "loop stats" is not a call of "loop".
  return named.toSorted((a, b) => b.path.length - a.path.length)[0]?.path;
}

function uses(argv: readonly string[], path: string, flag: string, position?: number): boolean {
  if (argv.some((word) => word === flag || word.startsWith(`${flag}=`))) return true;
  if (position === undefined) return false;
  const after = argv.slice(path.split(' ').length);
  return after.slice(0, position + 1).every((word) => !word.startsWith('-')) && after.length > position;
}

function readRecords(): InvocationRecord[] {
  if (!existsSync(RECORD_FOLDER)) return [];
  return readdirSync(RECORD_FOLDER).flatMap((name) =>
    readFileSync(join(RECORD_FOLDER, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as InvocationRecord),
  );
}
