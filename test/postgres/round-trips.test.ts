import { connect, createServer, type Server } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/continuity/database/postgres/open-postgres.ts';
import { writeOnce } from '../../src/continuity/idempotency.ts';
import { checkScope } from '../../src/continuity/memory/memory.ts';
import { applyPush, type Push } from '../../src/continuity/push/apply-push.ts';
import { pushHints } from '../../src/continuity/push/push-hints.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { PORTS } from '../fixtures/push-events.ts';
import { newPostgresUrl } from '../fixtures/store-environment.ts';

let proxy: Server | undefined;
afterEach(() => void proxy?.close());

/** Forwards to a server and counts how often the client waits for it: each time it sends after it has received. */
async function countRoundTrips(target: string): Promise<{ url: string; take: () => number }> {
  const address = new URL(target);
  const folder = mkdtempSync(join(tmpdir(), 'deed-proxy-'));
  const socket = join(address.searchParams.get('host') ?? '', '.s.PGSQL.5432');
  let count = 0;
  proxy = createServer((client) => {
    const upstream = connect(socket);
    let isAnswered = true;
    client.on('data', (bytes) => {
      if (isAnswered) count += 1;
      isAnswered = false;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      isAnswered = true;
      client.write(bytes);
    });
    for (const [end, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      end.on('close', () => other.destroy()).on('error', () => other.destroy());
  });
  await new Promise<void>((resolve) => proxy?.listen(join(folder, '.s.PGSQL.5432'), resolve));
  address.searchParams.set('host', folder);
  return {
    url: address.href,
    take: () => {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}

describe.skipIf(findPostgres() === undefined)('a push to Postgres', () => {
  const event = { kind: 'progress', message: 'm' };
  const memory = {
    ...checkScope('global', undefined),
    key: 'k',
    valueType: 'string' as const,
    expiresAt: null,
  };
  it.each<[string, Push]>([
    ['an event', { event, memories: [], artifacts: [] }],
    ['an event and a memory', { event, memories: [{ ...memory, value: 'one' }], artifacts: [] }],
    ['a changed memory', { memories: [{ ...memory, value: 'two' }], artifacts: [] }],
  ])('of %s takes at most three round trips', async (_name, push) => {
    const { url, take } = await countRoundTrips(newPostgresUrl());
    const database = openPostgres(url);
    const send = (requestId: string, what: Push): Promise<unknown> =>
      writeOnce(
        database,
        { agent: 'a', requestId, command: 'push', params: {}, onPayloadMismatch: 'replay' },
        PORTS,
        (scope) => applyPush(scope, what),
        () => pushHints(what),
      );
    // Connects, and creates the store.
    await send('r1', { memories: [{ ...memory, value: 'zero' }], artifacts: [] });
    take();
    await send('r2', push);
    expect(take()).toBeLessThanOrEqual(3);
    await send('r2', push);
    expect(take()).toBeLessThanOrEqual(3);
  });
});
