import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { envelopeProblems } from '../fixtures/check-envelope.ts';
import { notesCommands } from '../fixtures/notes-commands.ts';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { confirmedAsync, createHome, deed, type Run } from '../fixtures/run-deed.ts';
import { createProgram, runInProcess, SOURCE_LIBRARY } from '../fixtures/run-in-process.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

const notSet = (key: string) => ({
  target: key,
  ok: false,
  error: { code: 'E_NOT_FOUND', retryable: false, message: `"${key}" is not set in the home configuration.` },
});

describe('a batch over single calls', () => {
  const config = { 'list.limit': 7, 'update.notices': false, 'update.timeout_ms': 700 };
  const unset = (keys: string, ...more: string[]): Run =>
    deed(['config', 'unset', '--keys', keys, '--quiet', ...more], { home: home.path });
  const confirm = (keys: string, ...more: string[]): Run => {
    const { confirm_token } = unset(keys, ...more, '--dry-run').envelope.data as { confirm_token: string };
    return unset(keys, ...more, '--confirm', confirm_token);
  };
  /** The sources of the settings `list.*` and `update.*`. */
  const sources = (): string[] =>
    (
      deed(['config', 'list', '--limit', '1000', '--fields', 'key,source'], { home: home.path }).envelope.data
        .items as {
        key: string;
        source: string;
      }[]
    )
      .filter(({ key }) => /^(?:list|update)\./u.test(key))
      .map(({ source }) => source);
  beforeEach(() => writeFileSync(join(home.path, 'config.json'), JSON.stringify(config)));

  it('shows in a dry run what will happen to each target, and issues one token', () => {
    const run = unset('update.notices,nope,list.limit', '--dry-run');
    expect(envelopeProblems(run)).toEqual([]);
    const { preview, confirm_token, expires_at } = run.envelope.data as Record<string, string>;
    expect(preview).toEqual({
      action: 'unset',
      total: 3,
      targets: ['update.notices', 'nope', 'list.limit'],
      changes: [
        {
          action: 'unset',
          resource: 'setting',
          id: 'update.notices',
          before: { value: false },
          after: { value: true },
          version: 'false',
        },
        {
          action: 'unset',
          resource: 'setting',
          id: 'list.limit',
          before: { value: 7 },
          after: { value: 50 },
          version: '7',
        },
      ],
      unresolved: [{ target: 'nope', error: notSet('nope').error }],
    });
    expect(confirm_token).toMatch(/^ct_/u);
    expect(Date.parse(expires_at ?? '')).toBeGreaterThan(Date.now());
    expect(sources()).toEqual(['home', 'home', 'default', 'default', 'home']);
  });

  it('reports each target in input order, and rolls nothing back', () => {
    const run = confirm('update.notices,nope,list.limit,update.notices');
    expect(envelopeProblems(run)).toEqual([]);
    expect(run.envelope.data).toEqual({
      items: [
        { target: 'update.notices', ok: true, previous: false },
        notSet('nope'),
        { target: 'list.limit', ok: true, previous: 7 },
      ],
      summary: { total: 3, succeeded: 2, failed: 1 },
    });
    expect(sources()).toEqual(['default', 'default', 'default', 'default', 'home']);
  });

  it('with one target has the same format', () => {
    expect(confirm('list.limit').envelope.data).toEqual({
      items: [{ target: 'list.limit', ok: true, previous: 7 }],
      summary: { total: 1, succeeded: 1, failed: 0 },
    });
  });

  it('continues after a failure, or stops with --continue-on-error false and lists the skipped targets', () => {
    const stopped = confirm(
      'list.limit,nope,update.notices,update.timeout_ms',
      '--continue-on-error',
      'false',
    );
    expect(stopped.envelope.data).toEqual({
      items: [{ target: 'list.limit', ok: true, previous: 7 }, notSet('nope')],
      summary: { total: 2, succeeded: 1, failed: 1, skipped: 2 },
      skipped: ['update.notices', 'update.timeout_ms'],
    });
    expect(sources()).toEqual(['default', 'home', 'default', 'default', 'home']);
    expect(confirm('nope,update.notices', '--continue-on-error=true').envelope.data.summary).toEqual({
      total: 2,
      succeeded: 1,
      failed: 1,
    });
  });

  it('succeeds as a call even when every target fails', () => {
    const run = confirm('nope,neither');
    expect([run.code, run.envelope.data]).toEqual([
      0,
      { items: [notSet('nope'), notSet('neither')], summary: { total: 2, succeeded: 0, failed: 2 } },
    ]);
  });

  it('is rejected when another process changed a target since the dry run', () => {
    const { confirm_token } = unset('list.limit', '--dry-run').envelope.data as { confirm_token: string };
    writeFileSync(join(home.path, 'config.json'), '{}');
    expect(unset('list.limit', '--confirm', confirm_token).envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'changed' },
    });
  });

  it('has used its token after a partial failure', () => {
    const { confirm_token } = unset('list.limit,nope', '--dry-run').envelope.data as {
      confirm_token: string;
    };
    expect(unset('list.limit,nope', '--confirm', confirm_token).code).toBe(0);
    writeFileSync(join(home.path, 'config.json'), JSON.stringify(config));
    expect(unset('list.limit,nope', '--confirm', confirm_token).envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'used' },
    });
  });

  it('describes itself in the reference, with its deprecated alias', () => {
    const [command] = deed(['reference', '--command', 'config unset'], { home: home.path }).envelope.data
      .commands as [Record<string, unknown>];
    expect(command).toMatchObject({
      batch: { targets: 'keys', continue_on_error: true, chunk_size: 1, atomic: false },
      dangerous: false,
      gate: 'confirm',
    });
    expect(command.params).toMatchObject([
      { name: 'keys', multiple: true },
      { name: 'key', alias_of: 'keys', deprecated: true },
    ]);
  });
});

describe('a dangerous batch against an upstream that accepts three targets at a time', () => {
  let server: Server;
  let calls: string[][] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        const ids = JSON.parse(body) as string[];
        calls.push(ids);
        if (ids.length > 3) response.statusCode = 400;
        else if (ids.includes('broken')) response.statusCode = 503;
        response.end(JSON.stringify(ids.map((id) => (id === 'gone' ? null : `deleted ${id}`))));
      })();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());
  beforeEach(() => {
    calls = [];
  });

  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const notes = (argv: readonly string[], upstream = url()): Promise<Run> =>
    runInProcess(argv, createProgram('notes', notesCommands(SOURCE_LIBRARY, { file: '', upstream })), {
      home: home.path,
    });
  const remove = (ids: string, ...more: string[]): Promise<Run> =>
    notes(['note', 'delete', '--ids', ids, '--quiet', ...more]);
  const token = async (ids: string, ...more: string[]): Promise<string> =>
    (await remove(ids, ...more, '--dry-run')).envelope.data.confirm_token as string;
  const deleted = (id: string) => ({ target: id, ok: true, deleted_at: `deleted ${id}` });
  const failed = (id: string, code: string, retryable: boolean, message: string) => ({
    target: id,
    ok: false,
    error: { code, retryable, message },
  });

  it('needs its token and --dangerous; a call without the flag does not use up the token', async () => {
    const confirm = await token('a');
    expect((await remove('a')).envelope.error).toMatchObject({
      code: 'E_CONFIRMATION_REQUIRED',
      details: { next: 'dry-run', dangerous: true },
    });
    expect((await remove('a', '--dangerous')).code).toBe(5);
    const without = await remove('a', '--confirm', confirm);
    expect([without.code, without.envelope.error?.details.next, calls]).toEqual([5, 'dangerous', []]);
    const run = await remove('a', '--confirm', confirm, '--dangerous');
    expect([run.envelope.data.items, calls]).toEqual([[deleted('a')], [['a']]]);
    expect((await remove('a', '--confirm', confirm, '--dangerous')).envelope.error?.details.reason).toBe(
      'used',
    );
  });

  it('calls the upstream in chunks within its limit, with one answer', async () => {
    const ids = 'a,b,c,d,e,f,g';
    const run = await remove(ids, '--dangerous', '--confirm', await token(ids));
    expect(calls).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], ['g']]);
    expect(run.envelope.data).toEqual({
      items: ids.split(',').map(deleted),
      summary: { total: 7, succeeded: 7, failed: 0 },
    });
  });

  it('reports a failed chunk for its own targets, besides targets that fail individually', async () => {
    const ids = 'a,missing-1,gone,b,broken,c,d';
    const run = await remove(ids, '--dangerous', '--confirm', await token(ids));
    const chunkFailed = (id: string) => failed(id, 'E_SERVER', true, 'The upstream returned 503.');
    expect(calls).toEqual([['a', 'gone'], ['b', 'broken', 'c'], ['d']]);
    expect([run.code, run.envelope.data]).toEqual([
      0,
      {
        items: [
          deleted('a'),
          failed('missing-1', 'E_NOT_FOUND', false, 'Unknown note: "missing-1".'),
          failed('gone', 'E_NOT_FOUND', false, 'It was already deleted.'),
          chunkFailed('b'),
          chunkFailed('broken'),
          chunkFailed('c'),
          deleted('d'),
        ],
        summary: { total: 7, succeeded: 2, failed: 5 },
      },
    ]);
  });

  it('stops after the failed chunk with --continue-on-error false', async () => {
    const ids = 'a,b,c,broken,d,e,f';
    const stop = ['--continue-on-error', 'false'];
    const run = await remove(ids, ...stop, '--dangerous', '--confirm', await token(ids, ...stop));
    expect(calls).toEqual([
      ['a', 'b', 'c'],
      ['broken', 'd', 'e'],
    ]);
    expect([run.envelope.data.summary, run.envelope.data.skipped]).toEqual([
      { total: 6, succeeded: 3, failed: 3, skipped: 1 },
      ['f'],
    ]);
  });

  it('does not call upstream for targets that cannot be resolved', async () => {
    const ids = 'missing-1,missing-2';
    const run = await remove(ids, '--dangerous', '--confirm', await token(ids));
    expect([calls, run.envelope.data.summary]).toEqual([[], { total: 2, succeeded: 0, failed: 2 }]);
  });

  it('reports an unreachable upstream for each target', async () => {
    const argv = ['note', 'delete', '--ids', 'a,b', '--quiet'];
    const preview = await notes([...argv, '--dry-run'], 'http://127.0.0.1:1');
    const confirm = preview.envelope.data.confirm_token as string;
    const run = await notes([...argv, '--dangerous', '--confirm', confirm], 'http://127.0.0.1:1');
    expect([run.code, run.envelope.data.summary]).toEqual([0, { total: 2, succeeded: 0, failed: 2 }]);
  });

  it('is marked as dangerous in the reference', async () => {
    const { data } = (await notes(['reference', '--command', 'note delete'])).envelope;
    expect(data.commands[0]).toMatchObject({ dangerous: true, gate: 'dangerous', batch: { chunk_size: 3 } });
  });

  it('works the same in a program on the built library', async () => {
    const argv = ['note', 'delete', '--ids', 'a,gone,b,c', '--quiet', '--dangerous'];
    const options = {
      env: { NOTES_HOME: home.path, NOTES_UPSTREAM: url() },
      executable: exampleExecutable('notes'),
    };
    const run = await confirmedAsync(argv, options);
    expect(calls).toEqual([['a', 'gone', 'b'], ['c']]);
    expect([run.code, run.envelope.data.summary]).toEqual([0, { total: 4, succeeded: 3, failed: 1 }]);
  });
});
