import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { defineWrite } from '../../src/contract/command.ts';
import { execute } from '../../src/contract/execute.ts';
import { plainInvocation } from '../../src/contract/invocation.ts';
import type { Reply } from '../../src/contract/reply.ts';
import { createKernelContext } from '../fixtures/kernel-context.ts';
import { notesCommands } from '../fixtures/notes-commands.ts';
import { createProgram, runInProcess, SOURCE_LIBRARY } from '../fixtures/run-in-process.ts';
import { exampleExecutable } from '../fixtures/run-example.ts';
import {
  confirmed,
  confirmedAsync,
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
let lockedWrite: Promise<Run[]>;
beforeAll(() => {
  home = createHome();
  file = join(home.path, 'notes.txt');
  // It waits for seconds, so it runs while the other tests do.
  lockedWrite = writeWhileLocked();
  lockedWrite.catch(() => undefined);
});
afterAll(() => home.dispose());
beforeEach(() => writeFileSync(file, ''));

/** The program with a write that can be slow or fail. */
const options = (): RunOptions => ({
  env: { NOTES_HOME: home.path, NOTES_FILE: file },
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
const written = (): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

const set = (id: string, value: number, ...more: string[]): string[] => [
  'config',
  'set',
  'list.limit',
  String(value),
  '--request-id',
  id,
  ...more,
];
const call = (argv: readonly string[]): Run => deed(argv, { home: home.path });
const write = (argv: readonly string[]): Run => confirmed(argv, { home: home.path });
const limit = (): number =>
  (JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8')) as { 'list.limit': number })[
    'list.limit'
  ];
const records = (): string[] =>
  readdirSync(join(home.path, 'requests')).filter((name) => name.endsWith('.json'));

function refusal({ code, envelope }: Run): unknown[] {
  return [code, envelope.error?.code, envelope.error?.details.reason];
}

/** The token of a dry run of the program in this process, because its start on Node takes most of the time. */
async function tokenHere(argv: readonly string[]): Promise<string> {
  const commands = notesCommands(SOURCE_LIBRARY, { file, upstream: '' });
  const here = { home: home.path, input: '' };
  const { envelope } = await runInProcess([...argv, '--dry-run'], createProgram('notes', commands), here);
  return envelope.data.confirm_token as string;
}

/** Starts a slow write and waits until it is running. */
async function midway(argv: readonly string[]): Promise<ReturnType<typeof startDeed>> {
  const token = await tokenHere(argv);
  const loud = argv.filter((word) => word !== '--quiet');
  const child = startDeed([...loud, '--confirm', token], options());
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (text) => String(text).includes('adding') && resolve());
  });
  return child;
}

/** A write while another process holds the lock of the file, and the same write after that. */
async function writeWhileLocked(): Promise<Run[]> {
  const own = createHome();
  const holder = startScript('hold-lock', [join(own.path, 'config.json.lock')]);
  try {
    await firstLine(holder);
    const rejected = await confirmedAsync(set('busy', 7), { home: own.path });
    await killNow(holder);
    return [rejected, await confirmedAsync(set('busy', 7), { home: own.path })];
  } finally {
    await killNow(holder);
    own.dispose();
  }
}

describe('several processes with one request id', () => {
  it('write once, each with its own token', { timeout: 300_000 }, async () => {
    for (let round = 0; round < (LONG ? 50 : 1); round += 1) {
      writeFileSync(file, '');
      const argv = add(`race-${round}`, 'raced');
      const runs = await Promise.all(
        [1, 2, 3, 4].map(async () => {
          const token = await tokenHere(argv);
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

describe('a retry with the same request id', () => {
  it('returns the first answer without a token, and writes nothing', () => {
    const first = write(set('a', 11)).envelope.data as object;
    write(['config', 'set', 'list.limit', '12']);
    const again = call(set('a', 11));
    expect([again.code, again.envelope.data]).toEqual([0, { ...first, replayed: true }]);
    expect(call(set('a', 11, '--confirm', 'ct_spent')).envelope.data).toEqual({ ...first, replayed: true });
    expect(limit()).toBe(12);
  });

  it('by the other name of the flag is the same', () => {
    const first = write(['config', 'set', 'list.limit', '13', '--idempotency-key', 'b']).envelope
      .data as object;
    expect(call(set('b', 13)).envelope.data).toEqual({ ...first, replayed: true });
  });

  it('and other arguments is a conflict', () => {
    write(set('c', 14));
    expect(refusal(call(set('c', 15)))).toEqual([6, 'E_CONFLICT', 'other_payload']);
    expect(limit()).toBe(14);
  });

  it('for another command is a conflict', () => {
    write(set('d', 16));
    expect(refusal(call(['config', 'unset', '--keys', 'list.limit', '--request-id', 'd']))).toEqual([
      6,
      'E_CONFLICT',
      'other_command',
    ]);
    expect(limit()).toBe(16);
  });

  it('by another agent is a separate request', () => {
    write(set('e', 17));
    const other = confirmed(set('e', 18), { home: home.path, env: { AI_AGENT: 'other' } });
    expect([other.envelope.data.replayed, limit()]).toEqual([undefined, 18]);
  });

  it('and --dry-run returns a preview', () => {
    write(set('f', 19));
    expect(Object.keys(call(set('f', 19, '--dry-run')).envelope.data as object)).toEqual([
      'preview',
      'confirm_token',
      'expires_at',
    ]);
  });

  it('of a batch returns its items', () => {
    const unset = ['config', 'unset', '--keys', 'list.limit', '--request-id', 'g'];
    write(['config', 'set', 'list.limit', '9']);
    const first = write(unset).envelope.data as object;
    expect(call(unset).envelope.data).toEqual({ ...first, replayed: true });
  });
});

describe('a write that does not finish normally', () => {
  it('because its process was killed is unfinished: it is unknown whether it happened', async () => {
    const argv = add('killed', 'maybe', '--wait-ms', '60000');
    await killNow(await midway(argv));
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

  it('and whose record is truncated or invalid is unfinished', () => {
    const before = new Set(records());
    write(set('truncated', 20));
    const record = records().find((name) => !before.has(name)) ?? '';
    for (const content of ['', '{"command":"config s', 'null', '[]']) {
      writeFileSync(join(home.path, 'requests', record), content);
      expect(refusal(call(set('truncated', 20)))).toEqual([6, 'E_CONFLICT', 'unfinished']);
    }
  });

  it('with E_SERVER may have happened, so a retry is rejected', () => {
    const argv = add('server', 'eleven', '--fail', 'after:E_SERVER');
    expect(confirmed(argv, options()).envelope.error?.code).toBe('E_SERVER');
    expect(refusal(notes(argv))).toEqual([6, 'E_CONFLICT', 'unfinished']);
    expect(written()).toEqual(['eleven']);
  });

  it('except that its answer cannot be stored is done, warns, and is not repeated', async () => {
    const argv = add('unstored', 'twelve', '--wait-ms', '400');
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

  it('because its request cannot be recorded does not happen', () => {
    write(['config', 'set', 'list.limit', '21']);
    const folder = join(home.path, 'requests');
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, 'in the way');
    const run = write(set('nowhere', 22));
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    expect([run.code, run.envelope.error?.code, limit()]).toEqual([1, 'E_IO', 21]);
  });
});

describe('the request id of a write that throws', () => {
  const context = createKernelContext();
  afterAll(() => context.dispose());
  let attempts = 0;

  /** Calls a write in this process that throws the code on its first attempt. */
  function attempt(requestId: string, code: string, dryRun: boolean, confirm?: string): Promise<Reply> {
    const command = defineWrite({
      path: 'fail once',
      summary: 'Fail once',
      params: { code: v.string() },
      output: v.object({ attempts: v.number(), replayed: v.optional(v.literal(true)) }),
      examples: [],
      plan: async () => ({ changes: [{ action: 'fail', resource: 'test', id: code }] }),
      run: async () => {
        attempts += 1;
        if (attempts === 1) throw new Fault(code, 'It failed.');
        return { attempts };
      },
    });
    const invocation = { ...plainInvocation(command), params: { code }, dryRun, confirm, requestId };
    return execute(() => Promise.resolve(invocation), context);
  }

  /** The replies to a write and to its retry. */
  async function writeTwice(code: string): Promise<Reply[]> {
    attempts = 0;
    const replies: Reply[] = [];
    for (const _ of ['first', 'retry']) {
      const preview = await attempt(code, code, true);
      const token = preview.kind === 'value' ? (preview.data.confirm_token as string) : undefined;
      replies.push(await attempt(code, code, false, token));
    }
    return replies;
  }

  it.each(['E_TIMEOUT', 'E_NETWORK', 'E_SERVER', 'E_UNKNOWN', 'E_INTERRUPTED'])(
    'stays claimed after %s, so the write is not repeated',
    async (code) => {
      expect(await writeTwice(code)).toMatchObject([
        { kind: 'fault', fault: { code } },
        { kind: 'fault', fault: { code: 'E_CONFLICT', details: { reason: 'unfinished' } } },
      ]);
      expect(attempts).toBe(1);
    },
  );

  it.each(['E_FORBIDDEN', 'E_VALIDATION', 'E_NOT_FOUND', 'E_CONFLICT'])(
    'is released after %s, because nothing was changed',
    async (code) => {
      expect(await writeTwice(code)).toMatchObject([
        { kind: 'fault', fault: { code } },
        { kind: 'value', data: { attempts: 2 } },
      ]);
    },
  );
});

describe('a write that waits for a lock', () => {
  it('changes nothing when it times out, and releases its request id', async () => {
    const [rejected, retried] = await lockedWrite;
    expect([rejected?.code, rejected?.envelope.error?.code]).toEqual([8, 'E_TIMEOUT']);
    expect(retried?.envelope.data).toMatchObject({ value: 7 });
  });
});
