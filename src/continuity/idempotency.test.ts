import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../test/fixtures/temporary-store.ts';
import { findRequest } from './database/queries/requests.ts';
import { readEvents } from './events/event.ts';
import { writeOnce, type WriteKey } from './idempotency.ts';
import { applyPush } from './push/apply-push.ts';
import { purgeExpired } from './store/purge-expired.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

const push = (message: string, overrides: Partial<WriteKey> = {}) =>
  writeOnce(
    store.database,
    {
      agent: 'a',
      requestId: 'r1',
      command: 'push',
      params: { message },
      onPayloadMismatch: 'reject',
      ...overrides,
    },
    store.ports,
    (scope) => applyPush(scope, { event: { kind: 'progress', message }, memories: [], artifacts: [] }),
  );
const messages = async (): Promise<string[]> =>
  (await readEvents(store.database, { ascending: true, includeArchived: true, limit: 100 })).map(
    ({ message }) => message,
  );

describe('a request id', () => {
  it('writes once and replays the first answer', async () => {
    const first = await push('one');
    expect(await push('one')).toEqual({ ...first, replayed: true });
    expect(await messages()).toEqual(['one']);
  });

  it('replays ids as strings, and stores them as integers like released versions', async () => {
    const first = await push('one');
    expect(first.event_id).toMatch(/^\d+$/u);
    const stored = await store.database.first(findRequest, { agent: 'a', request_id: 'r1' });
    expect(JSON.parse(stored?.result ?? '')).toEqual({ ...first, event_id: Number(first.event_id) });
    expect(await push('one')).toEqual({ ...first, replayed: true });
  });

  it('with another payload is a conflict or a marked replay, depending on the caller', async () => {
    const first = await push('one');
    await expect(push('two')).rejects.toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'other_payload' },
    });
    expect(await push('two', { onPayloadMismatch: 'replay' })).toEqual({
      ...first,
      replayed: true,
      payload_mismatch: true,
    });
    expect(await messages()).toEqual(['one']);
  });

  it('of another command is always a conflict', async () => {
    await push('one');
    await expect(push('one', { command: 'task create', onPayloadMismatch: 'replay' })).rejects.toMatchObject({
      details: { reason: 'other_command' },
    });
  });

  it('belongs to one agent', async () => {
    await push('one');
    await push('two', { agent: 'b' });
    expect(await messages()).toEqual(['one', 'two']);
  });

  it('is not used up by a failed write', async () => {
    const fail = writeOnce(
      store.database,
      {
        agent: 'a',
        requestId: 'r1',
        command: 'push',
        params: { message: 'one' },
        onPayloadMismatch: 'reject',
      },
      store.ports,
      async (scope) => {
        await applyPush(scope, { event: { kind: 'progress', message: 'lost' }, memories: [], artifacts: [] });
        throw new Error('disk failure');
      },
    );
    await expect(fail).rejects.toThrow('disk failure');
    expect(await messages()).toEqual([]);
    await push('one');
    expect(await messages()).toEqual(['one']);
  });

  it('of concurrent callers in one process is written once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => push('one')));
    expect(answers.filter((answer) => answer.replayed !== true)).toHaveLength(1);
    expect(await messages()).toEqual(['one']);
  });

  it('is deleted after thirty days, and old events are archived with their content', async () => {
    await push('one');
    store.wait(91 * 24 * 3600_000);
    // The clock is trusted after some writes.
    for (let write = 0; write < 20; write += 1) await push('recent', { requestId: `r2-${write}` });
    const collected = await store.as('a', (scope) => purgeExpired(scope, { limit: 100 }));
    expect(collected).toMatchObject({ requests: 1, events: 1 });
    const live = await readEvents(store.database, { ascending: true, includeArchived: false, limit: 100 });
    expect(live.map(({ message }) => message).slice(-2)).toEqual(['recent', '0 expired memories removed']);
    expect(live).toHaveLength(21);
    expect((await messages())[0]).toBe('one');
    await push('one again');
    expect((await messages()).at(-1)).toBe('one again');
  });
});
