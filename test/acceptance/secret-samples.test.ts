import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { createHome, deed, type Run } from '../fixtures/run-deed.ts';
import { createProgram, runInProcess, SOURCE_LIBRARY } from '../fixtures/run-in-process.ts';
import { ORDINARY, ORDINARY_MEMBERS, SECRET_MEMBERS, SECRETS } from '../fixtures/secret-samples.ts';
import { secretsCommands } from '../fixtures/secrets-commands.ts';
import { LONG } from '../fixtures/start-node.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

/** Calls in pieces: the arguments of a process are limited, and a long argument is not written to the audit log at all. */
const PIECE = 12;
const texts = SECRETS.map(([, text]) => text);

const program = createProgram('secrets', secretsCommands(SOURCE_LIBRARY));

const call = (verb: string, values: object, ...flags: string[]): Run =>
  deed(['secret', verb, '--secrets', JSON.stringify(values), ...flags], {
    env: { SECRETS_HOME: home.path },
    executable: exampleExecutable('secrets'),
  });
const runHere = async (verb: string, values: object, ...flags: string[]): Promise<Run> =>
  runInProcess(['secret', verb, '--secrets', JSON.stringify(values), ...flags], program, {
    home: home.path,
  });
const pieces = <T>(items: readonly T[], size = PIECE): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
const numbered = (items: readonly string[]): object =>
  Object.fromEntries(items.map((item, index) => [`field_${index}`, `${item}\n`]));
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
/** A short secret may be part of other texts: it leaked if it is there with what was before it. */
const leaked = (output: string): string[] =>
  SECRETS.filter(([, text, hidden]) => {
    const start = hidden.length < 8 ? Math.max(0, text.indexOf(hidden) - 8) : text.indexOf(hidden);
    return output.includes(escaped(text.slice(start, text.indexOf(hidden) + hidden.length)));
  }).map(([kind]) => kind);

/** The verbs that write to the two streams of a process. The others differ only before that, so only a long run starts them too. */
const STARTED = new Set(['show', 'warn']);

test.each(['show', 'warn', 'fail', 'store'])(
  'every kind of secret is masked in what `%s` writes and in the audit log',
  async (verb) => {
    const flags = verb === 'store' ? ['--dry-run'] : [];
    for (const [index, piece] of pieces(texts).entries()) {
      // The process adds nothing to one kind of secret that it does not add to another; a long run starts it for each.
      const runs = [await runHere(verb, numbered(piece), ...flags)];
      if (LONG || (index === 0 && STARTED.has(verb))) runs.push(call(verb, numbered(piece), ...flags));
      for (const { stdout, stderr } of runs) expect(leaked(stdout + stderr)).toEqual([]);
    }
    const folder = join(home.path, 'audit');
    const logs = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(leaked(logs.join(''))).toEqual([]);
  },
);

/** The tests above and below start the program with the same values; a long run does it here too. */
const show = async (values: object): Promise<Run> => (LONG ? call('show', values) : runHere('show', values));

test('every listed member name is masked', () => {
  const values = Object.fromEntries(SECRET_MEMBERS.map((name) => [name, 'hunter22']));
  expect(call('show', { list: [values] }).stdout).not.toContain('hunter22');
});

test('no ordinary text or member changes', async () => {
  const members = ORDINARY_MEMBERS.map(([name, value]) => ({ [name]: value }));
  expect((await show({ texts: ORDINARY, members })).envelope.data).toEqual({ texts: ORDINARY, members });
});

test('prints how many kinds are masked and how many ordinary texts are left alone', async () => {
  const shown: string[] = [];
  for (const piece of pieces(texts))
    shown.push(...Object.values((await show(numbered(piece))).envelope.data as Record<string, string>));
  expect(shown).toHaveLength(SECRETS.length);
  const masked = SECRETS.filter(([, , hidden], index) => !shown[index]?.includes(hidden)).length;
  const { texts: after } = (await show({ texts: ORDINARY })).envelope.data as { texts: string[] };
  const left = ORDINARY.filter((text, index) => after[index] === text).length;
  console.log(
    `secrets: ${masked} of ${SECRETS.length} kinds masked (recall ${(masked / SECRETS.length).toFixed(3)}), ${left} of ${ORDINARY.length} ` +
      `ordinary texts left alone (precision ${(masked / (masked + ORDINARY.length - left)).toFixed(3)})`,
  );
  expect([masked, left]).toEqual([SECRETS.length, ORDINARY.length]);
});
