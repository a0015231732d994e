import { addHooks } from '../../src/continuity/hooks/settings-hooks.ts';

const DESCRIPTION = 'Remember across sessions, run agents on a plan safely, clean up what they left.';
const REGISTRY_NAME = 'io.github.deed-cli/deed';
const SERVER = { command: 'npx', args: ['-y', 'deed-cli', 'mcp', 'serve'] };

/** The manifests with which hosts and registries install deed, by path. Their hooks call `vybe`, which must be on the PATH. */
export function pluginFiles(version: string): Readonly<Record<string, object>> {
  return {
    '.claude-plugin/plugin.json': {
      name: 'deed',
      version,
      description: DESCRIPTION,
      author: { name: 'deed' },
      homepage: 'https://github.com/deed-cli/deed',
      license: 'MIT',
      mcpServers: { deed: SERVER },
    },
    '.claude-plugin/marketplace.json': {
      name: 'deed',
      owner: { name: 'deed' },
      plugins: [{ name: 'deed', source: './', description: DESCRIPTION }],
    },
    'hooks/hooks.json': addHooks({}, 'claude', 'vybe'),
    'extensions/gemini/gemini-extension.json': {
      name: 'deed',
      version,
      description: DESCRIPTION,
      mcpServers: { deed: SERVER },
    },
    'extensions/gemini/hooks/hooks.json': addHooks({}, 'gemini', 'vybe'),
    'examples/mcp.json': { mcpServers: { deed: SERVER } },
    'server.json': {
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: REGISTRY_NAME,
      description: DESCRIPTION,
      repository: { url: 'https://github.com/deed-cli/deed', source: 'github' },
      version,
      packages: [
        {
          registryType: 'npm',
          identifier: 'deed-cli',
          version,
          transport: { type: 'stdio' },
          packageArguments: [
            { type: 'positional', value: 'mcp' },
            { type: 'positional', value: 'serve' },
          ],
        },
      ],
    },
  };
}
