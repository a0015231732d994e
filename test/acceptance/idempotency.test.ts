import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exampleExecutable } from '../fixtures/run-example.ts';
import {
  confirmed,
  createHome,
  deed,
  deedAsync,
  startDeed,
  waitFor,
  type Run,
  type RunOptions,
} from '../fixtures/run-deed.ts';
import { firstLine, killNow, LONG, startScript } from '../fixtures/start-node.ts';

let home: ReturnType<typeof createHome>;
let file = '';
beforeAll(() => {
  home = createHome();
  file = join(home.path, 'notes.txt');
});
afterAll(() => home.dispose());
beforeEach(() => writeFileSync(file, ''));

const options = (env: Readonly<Record<string, string>> = {}): RunOptions => ({
  env: { NOTES_HOME: home.path, NOTES_FILE: file, ...env },
  executable: exampleExecutable('notes'),
});
const add = (id: string, text: string, ...more: string[]): string[] => [
  'note',
  'add',
  '--text',
  text,
  '--request-id',
  id,
  '--quiet',
  ...more,
];
const notes = (argv: readonly string[]): Run => deed(argv, options());
const write = (argv: readonly string[]): Run => confirmed(argv, options());
const written = (): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
const records = (): string[] =>
  readdirSync(join(home.path, 'requests')).filter((name) => name.endsWith('.json'));

function refusal({ code, envelope }: Run): unknown[] {
  return [code, envelope.error?.code, envelope.error?.details.reason];
}

/** Starts a write that takes its time, and waits until it is in the middle. */
async function midway(argv: readonly string[]): Promise<ReturnType<typeof startDeed>> {
  const token = notes([...argv, '--dry-run']).envelope.data.confirm_token as string;
  const loud = argv.filter((word) => word !== '--quiet');
  const child = startDeed([...loud, '--confirm', token], options());
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (text) => String(text).includes('adding') && resolve());
  });
  return child;
}

describe('a retry with the same request id', () => {
  it('returns the first answer without a token, and writes nothing', () => {
    const first = write(add('a', 'one'));
    expect(first.envelope.data).toEqual({ text: 'one' });
    const again = notes(add('a', 'one'));
    expect([again.code, again.envelope.data]).toEqual([0, { text: 'one', replayed: true }]);
    expect(notes(add('a', 'one', '--confirm', 'ct_spent')).envelope.data).toEqual({
      text: 'one',
      replayed: true,
    });
    expect(written()).toEqual(['one']);
  });

  it('by the other name of the flag is the same', () => {
    write(['note', 'add', '--text', 'two', '--idempotency-key', 'b']);
    expect(notes(add('b', 'two')).envelope.data).toEqual({ text: 'two', replayed: true });
  });

  it('and other arguments is a conflict', () => {
    write(add('c', 'three'));
    expect(refusal(notes(add('c', 'four')))).toEqual([6, 'E_CONFLICT', 'other_payload']);
    expect(written()).toEqual(['three']);
  });

  it('for another command is a conflict', () => {
    write(add('d', 'five'));
    expect(refusal(notes(['note', 'delete', '--ids', '1', '--request-id', 'd']))).toEqual([
      6,
      'E_CONFLICT',
      'other_command',
    ]);
  });

  it('by another agent is a request of its own', () => {
    write(add('e', 'six'));
    const other = confirmed(add('e', 'seven'), options({ AI_AGENT: 'other' }));
    expect(other.envelope.data).toEqual({ text: 'seven' });
    expect(written()).toEqual(['six', 'seven']);
  });

  it('may still ask for a preview', () => {
    write(add('f', 'eight'));
    expect(Object.keys(notes(add('f', 'eight', '--dry-run')).envelope.data as object)).toEqual([
      'preview',
      'confirm_token',
      'expires_at',
    ]);
  });

  it('of a batch returns its items', () => {
    const unset = ['config', 'unset', '--keys', 'list.limit', '--request-id', 'g'];
    confirmed(['config', 'set', 'list.limit', '9'], { home: home.path });
    const first = confirmed(unset, { home: home.path }).envelope.data as object;
    expect(deed(unset, { home: home.path }).envelope.data).toEqual({ ...first, replayed: true });
  });
});

describe('several processes with one request id', () => {
  it('write once, each with a token of its own', { timeout: 300_000 }, async () => {
    for (let round = 0; round < (LONG ? 50 : 2); round += 1) {
      writeFileSync(file, '');
      const argv = add(`race-${round}`, 'raced');
      const runs = await Promise.all(
        [1, 2, 3, 4].map(async () => {
          const preview = await deedAsync([...argv, '--dry-run'], options());
          const token = preview.envelope.data.confirm_token as string;
          return deedAsync([...argv, '--confirm', token], options());
        }),
      );
      const outcomes = runs.map(({ envelope: { data, error } }) =>
        error ? String(error.details.reason) : data.replayed === true ? 'replayed' : 'written',
      );
      expect(written()).toEqual(['raced']);
      expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1);
      for (const outcome of outcomes) expect(['written', 'replayed', 'unfinished']).toContain(outcome);
    }
  });
});

describe('a write that does not end well', () => {
  it('because its process was killed is unfinished: nobody knows whether it happened', async () => {
    const argv = add('killed', 'maybe', '--wait-ms', '60000');
    const child = await midway(argv);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(refusal(notes(argv))).toEqual([6, 'E_CONFLICT', 'unfinished']);
    const { items } = notes(['audit', 'list', '--limit', '3', '--fields', 'phase,request_id']).envelope
      .data as {
      items: { phase: string; request_id: string }[];
    };
    expect(items.map(({ phase, request_id }) => `${phase} ${request_id}`)).toEqual([
      'end killed',
      'begin killed',
      'end killed',
    ]);
  });

  it('because its record was cut is unfinished too', () => {
    const before = new Set(records());
    write(add('cut', 'nine'));
    const record = records().find((name) => !before.has(name)) ?? '';
    for (const content of ['', '{"command":"note a', 'null', '[]']) {
      writeFileSync(join(home.path, 'requests', record), content);
      expect(refusal(notes(add('cut', 'nine')))).toEqual([6, 'E_CONFLICT', 'unfinished']);
    }
  });

  it('because it was refused frees its request id', () => {
    expect(write(add('free', 'ten', '--fail', 'E_FORBIDDEN')).code).toBe(4);
    expect(write(add('free', 'ten')).envelope.data).toEqual({ text: 'ten' });
    expect(written()).toEqual(['ten']);
  });

  it('because another process held its lock has changed nothing, and frees its request id', async () => {
    const lock = join(home.path, 'config.json.lock');
    const holder = startScript('hold-lock', [lock]);
    await firstLine(holder);
    const set = ['config', 'set', 'list.limit', '7', '--request-id', 'busy'];
    const refused = confirmed(set, { home: home.path });
    expect([refused.code, refused.envelope.error?.code]).toEqual([8, 'E_TIMEOUT']);
    await killNow(holder);
    expect(confirmed(set, { home: home.path }).envelope.data).toMatchObject({ value: 7 });
  });

  it.each(['E_TIMEOUT', 'E_NETWORK', 'E_SERVER', 'E_UNKNOWN'])(
    'with %s may have happened, so a retry is refused and not doubled',
    (code) => {
      const argv = add(code, 'eleven', '--fail', `after:${code}`);
      expect(write(argv).envelope.error?.code).toBe(code);
      expect(refusal(notes(argv))).toEqual([6, 'E_CONFLICT', 'unfinished']);
      expect(written()).toEqual(['eleven']);
    },
  );

  it('only in that its answer cannot be kept is done, says so, and is not repeated', async () => {
    const argv = add('kept', 'twelve', '--wait-ms', '400');
    const folder = join(home.path, 'requests');
    const child = await midway(argv);
    const running = waitFor(child);
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, 'in the way');
    const run = await running;
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    expect([run.code, run.envelope.data, written()]).toEqual([0, { text: 'twelve' }, ['twelve']]);
    expect(run.stderr).toContain('a retry with this request id will be rejected');
    expect(refusal(notes(argv))).toEqual([6, 'E_CONFLICT', 'unfinished']);
  });

  it('because requests cannot be noted does not happen', () => {
    const folder = join(home.path, 'requests');
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, 'in the way');
    const run = write(add('nowhere', 'thirteen'));
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    expect([run.code, run.envelope.error?.code, readFileSync(file, 'utf8')]).toEqual([1, 'E_IO', '']);
  });
});
