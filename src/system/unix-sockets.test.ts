import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listUnixSockets, parseUnixSockets } from './unix-sockets.ts';

const TABLE = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 15663 /run/docker.sock
0000000000000000: 00000003 00000000 00000000 0001 03 15664
0000000000000000: 00000002 00000000 00010000 0001 01  1566 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0005 01 99 /tmp/with space.sock
`;

describe('the sockets of a machine', () => {
  it('are parsed from the table, without unnamed and abstract ones', () => {
    expect(parseUnixSockets(TABLE)).toEqual(['/run/docker.sock', '/tmp/with space.sock']);
  });

  it('are the sockets that are listening', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deed-sockets-'));
    const server = createServer();
    server.listen(join(folder, 's'));
    await once(server, 'listening');
    expect(listUnixSockets()).toContain(join(folder, 's'));
    server.close();
    rmSync(folder, { recursive: true, force: true });
    expect(listUnixSockets()).not.toContain(join(folder, 's'));
    expect(listUnixSockets('/nonexistent')).toEqual([]);
  });
});
