import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ROOT } from '../../scripts/build-constants.ts';

/** Where a session runs: its own home with a store, and a working folder. */
export interface SessionPlace {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly dispose: () => void;
}

/** Creates a place, empty or with the files of another one. */
export function createPlace(original?: SessionPlace): SessionPlace {
  const folder = mkdtempSync(join(tmpdir(), 'app-'));
  if (original !== undefined) cpSync(original.folder, folder, { recursive: true });
  return {
    folder,
    env: {
      PATH: `${join(ROOT, 'dist/bin')}:${process.env.PATH ?? ''}`,
      HOME: folder,
      DEED_HOME: join(folder, 'home'),
      DEED_AGENT: 'claude-app',
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts the MCP server of deed in a place and connects to it. */
export async function connectTo(
  { folder, env }: SessionPlace,
  overrides: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client({ name: 'claude-app', version: '1.0.0' });
  const command = join(ROOT, 'dist/bin/deed');
  const server = { command, args: ['mcp', 'serve'], cwd: folder, env: { ...env, ...overrides } };
  await client.connect(new StdioClientTransport(server));
  return client;
}
