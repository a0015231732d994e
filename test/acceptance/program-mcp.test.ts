import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { independentClient } from '../fixtures/mcp-client.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** `mcp serve` of a program on the library, with the official client. */
const folder = temporaryFolder('program-mcp');
const { client, call } = independentClient('foreign');
beforeAll(() =>
  client.connect(
    new StdioClientTransport({
      command: join(ROOT, 'node_modules/.bin/node'),
      args: [join(ROOT, 'examples/inventory.ts'), 'mcp', 'serve'],
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', HOME: folder.path },
    }),
  ),
);
afterAll(async () => {
  await client.close();
  folder.dispose();
});

describe('mcp serve of a program on the library', () => {
  it('describes the program and its commands, and nothing of deed', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['find', 'describe', 'call-read', 'call-write']);
    const texts = JSON.stringify([tools, client.getInstructions(), client.getServerVersion()]);
    expect(texts).toContain('item list {limit?, cursor?}');
    expect(texts).toContain('item put {id, name?, count}');
    expect(texts).not.toMatch(/deed|task|journal/iu);
    expect(Object.keys(client.getServerCapabilities() ?? {}).sort()).toEqual(['logging', 'tools']);
  });

  it('finds and describes commands', async () => {
    const found = await call('find', { query: 'remove' });
    expect(found.data.commands[0]).toMatchObject({
      command: 'item remove',
      effect: 'write',
      gate: 'dangerous',
    });
    const described = await call('describe', { command: 'item put' });
    expect(described.data).toMatchObject({
      call_with: 'call-write',
      errors: expect.arrayContaining(['E_SHELF_FULL']) as string[],
    });
  });

  it('runs a write only with the token of its dry run, and reads the result', async () => {
    const write = { command: 'item put', parameters: { id: 'bolt', count: 5 } };
    expect((await call('call-write', write)).error?.code).toBe('E_CONFIRMATION_REQUIRED');
    const preview = await call('call-write', { ...write, dry_run: true });
    const confirm = preview.data.confirm_token as string;
    expect((await call('call-write', { ...write, confirm })).data).toMatchObject({ id: 'bolt', count: 5 });
    expect((await call('call-write', { ...write, confirm })).error?.code).toBe('E_CONFLICT');
    const list = await call('call-read', { command: 'item list' });
    // The page has its total, and a row only its key fields.
    expect(list.data).toMatchObject({ count: 1, total: 1, items: [{ id: 'bolt', count: 5 }] });
    const ids = await call('call-read', { command: 'item list', fields: ['id'] });
    expect(ids.data).toMatchObject({ count: 1, total: 1 });
    expect(ids.data.items).toEqual([{ id: 'bolt' }]);
  });

  it('does not offer streams, the shell or the configuration', async () => {
    for (const command of ['item export', 'completion', 'config set', 'mcp serve'])
      expect((await call('call-read', { command })).error).toMatchObject({
        code: 'E_NOT_FOUND',
        details: { offered: false, hint: `A person can run it in a terminal: inventory ${command}` },
      });
  });
});
