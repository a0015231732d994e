import { Fault } from '../../base/fault.ts';
import type { McpServerSettings } from './config-schema.ts';

/** How a tool server is reached. */
export type ServerAddress =
  | { readonly type: 'stdio'; readonly command: string }
  | { readonly type: 'http' | 'sse'; readonly url: URL };

/** Returns the address of a tool server. Throws a Fault when its settings contain none. */
export function serverAddress(name: string, settings: McpServerSettings): ServerAddress {
  const { type = settings.url === undefined ? 'stdio' : 'http', command, url: text = '' } = settings;
  if (type === 'stdio') {
    if (command === undefined) throw incomplete(name, 'command');
    return { type, command };
  }
  const url = URL.parse(text);
  if (url === null) throw incomplete(name, 'url');
  return { type: type === 'sse' ? 'sse' : 'http', url };
}

function incomplete(name: string, field: string): Fault {
  return new Fault('E_CONFIG', `The tool server ${name} has no valid ${field}.`, {
    hint: `Set mcpServers.${name}.${field}.`,
    details: { server: name, field },
  });
}
