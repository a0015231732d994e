import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEarlierStore } from '../fixtures/earlier-store.ts';
import { schemaProblems } from '../fixtures/check-envelope.ts';
import { confirmed, createHome, deed, type Envelope } from '../fixtures/run-deed.ts';
import { vybe, vybeInShell } from '../fixtures/run-vybe.ts';

const MINUTE = 60_000;
const BEGIN = ['task', 'begin', '--id', 'task_held', '--agent', 'ada', '--request-id', 'r1'];
let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const claim = (agent: string, ms: number) => ({ agent, at: at(-5 * MINUTE), expires_at: at(ms) });
  createEarlierStore(
    join(home.path, 'deed.db'),
    2,
    [
      { id: 'task_held', status: 'in_progress', claim: claim('ada', 30 * MINUTE) },
      { id: 'task_left', status: 'in_progress', claim: claim('linus', -MINUTE) },
      { id: 'task_free', status: 'pending', priority: 9 },
    ],
    (connection) => {
      // The response that schema 2 stored for a claim: it has no number.
      const task = {
        id: 'task_held',
        title: 'Title of task_held',
        description: '',
        status: 'in_progress',
        priority: 0,
        project_id: 'app',
        claim: { agent: 'ada', expires_at: at(30 * MINUTE), expired: false },
        version: 1,
        created_at: at(0),
        updated_at: at(0),
      };
      const payload = createHash('sha256').update('{"id":"task_held"}').digest('hex');
      connection
        .prepare('INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?)')
        .run('ada', 'r1', 'task begin', payload, JSON.stringify({ task, focus_event_id: 1 }), at(0));
    },
  );
});
afterEach(() => home.dispose());

const run = (argv: string[], session?: string): Envelope =>
  confirmed(argv, { home: home.path, ...(session !== undefined && { env: { DEED_SESSION: session } }) })
    .envelope;
const read = (...argv: string[]): Envelope['data'] => deed(argv, { home: home.path }).envelope.data;
const backups = (): string[] => readdirSync(home.path).filter((name) => name.endsWith('.bak'));
const complete = (id: string, agent: string, session?: string): Envelope =>
  run(['task', 'complete', '--id', id, '--outcome', 'done', '--summary', 's', '--agent', agent], session);

describe('a store of schema 2 with claims', () => {
  it('is read without a migration, and doctor and the dry run of the upgrade name both versions', () => {
    const before = readFileSync(join(home.path, 'deed.db'));
    expect(read('task', 'get', 'task_held').claim).toMatchObject({ agent: 'ada', number: 1, expired: false });
    expect(read('task', 'next', '--project-id', 'app').task.id).toBe('task_left');
    const { checks } = read('doctor');
    const store = checks.find(({ check }: { check: string }) => check === 'store');
    expect(store).toMatchObject({ status: 'warn', message: expect.stringContaining('schema version 2') });
    expect(read('store', 'upgrade', '--dry-run').preview.changes).toMatchObject([
      { before: { schema_version: 2 }, after: { schema_version: 6 } },
    ]);
    expect([readFileSync(join(home.path, 'deed.db')).equals(before), backups()]).toEqual([true, []]);
  });

  it('keeps its claims through the migration by a write, which leaves a backup', () => {
    expect(complete('task_held', 'grace', 's1').error).toMatchObject({
      code: 'E_CONFLICT',
      details: { owner: 'ada', claim_number: 1 },
    });
    const taken = run(['task', 'take', '--project-id', 'app', '--agent', 'grace'], 's1').data.task;
    expect(taken).toMatchObject({ id: 'task_left', claim: { agent: 'grace', session: 's1', number: 2 } });
    expect(backups()).toEqual([expect.stringMatching(/^deed\.db\.schema-2\..*\.bak$/u)]);
    expect(complete('task_left', 'linus').error?.details).toMatchObject({ reason: 'claim-lost' });
    expect(complete('task_held', 'ada', 's2').data.task.status).toBe('completed');
    expect(read('store', 'check')).toMatchObject({ schema_version: 6, sound: true });
  });

  it('replays a stored response in the schema of the command', () => {
    const envelope = run(BEGIN);
    expect(envelope.data).toMatchObject({ replayed: true, task: { claim: { agent: 'ada' } } });
    const { output } = read('reference', '--schema', '--command', 'task begin').json_schemas['task begin'];
    expect(schemaProblems(envelope.data, output as object)).toEqual([]);
  });

  it('is worked through by loops, exported and imported', () => {
    const program = join(home.path, 'agent.sh');
    const flags = '--outcome done --summary s --request-id "$id"';
    const lines = [
      '#!/bin/sh',
      'for last; do :; done',
      `id=$(grep -o -- '--id task_[0-9a-z]*' "\${last#@}" | head -n 1 | cut -d ' ' -f 2)`,
      `exec ${vybeInShell()} task complete --id "$id" ${flags}`,
    ];
    writeFileSync(program, lines.join('\n'), { mode: 0o755 });
    const loop = vybe(['loop', '--agent', 'worker', '--cooldown', '0s', '--command', program], {
      home: home.path,
    });
    expect(loop.answer.data).toMatchObject({ completed: 2 });
    expect(read('task', 'get', 'task_held').claim.agent).toBe('ada');
    const [first, second, copy] = ['1.ndjson', '2.ndjson', 'copy.db'].map((name) => join(home.path, name));
    for (const argv of [
      ['store', 'export', '--to', first],
      ['store', 'import', '--from', first, '--db-path', copy],
      ['store', 'export', '--to', second, '--db-path', copy],
    ])
      expect(run(argv as string[]).error).toBeUndefined();
    expect(readFileSync(second as string, 'utf8')).toBe(readFileSync(first as string, 'utf8'));
  });
});
