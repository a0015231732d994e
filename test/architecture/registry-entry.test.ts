import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../scripts/build-constants.ts';

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

it('server.json keeps the rules of the MCP registry', () => {
  const server = read('server.json');
  const { name, version, mcpName } = read('package.json');
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]{1,150}\/[a-zA-Z0-9._-]{1,49}$/u);
  // The registry compares it with the published package.
  expect(server.name).toBe(mcpName);
  expect(server.description.length).toBeLessThanOrEqual(100);
  // Ranges and "latest" are refused.
  expect(server.version).toMatch(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u);
  expect(new URL(server.repository.url).href).toContain(server.repository.source);
  const words = (...values: string[]) => values.map((value) => ({ type: 'positional', value }));
  expect([server.version, server.packages]).toEqual([
    version,
    [
      {
        registryType: 'npm',
        identifier: name,
        version,
        transport: { type: 'stdio' },
        packageArguments: words('mcp', 'serve'),
      },
    ],
  ]);
});
