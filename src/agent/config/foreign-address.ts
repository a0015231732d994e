import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { hasSecretName } from '../mask-secrets.ts';
import type { ConfigLayer, LayerOrigin } from './config-layers.ts';
import type { McpServerSettings } from './config-schema.ts';
import type { Origins } from './merge-layers.ts';

/** How much a layer is trusted: files of folders may have been written by other people; `--config` was chosen for one call. */
const TRUST: Readonly<Record<LayerOrigin, number>> = {
  system: 4,
  home: 3,
  binary: 3,
  explicit: 2,
  cwd: 1,
  prompt: 1,
};

type LayerOrigins = Origins<ConfigLayer>;

/** Returns a Fault when a provider's key or header would be sent to a base URL of a less trusted layer. */
export function findForeignProvider(name: string, origins: LayerOrigins): Fault | undefined {
  const path = ['providers', name];
  // Without a base URL the type decides which default URL gets the key.
  const address = origins.originOf([...path, 'baseUrl']) ?? origins.originOf([...path, 'type']);
  const secrets = [origins.originOf([...path, 'apiKey']), ...origins.originsUnder([...path, 'headers'])];
  const owner = findOwner(secrets, address);
  if (owner === undefined || address === undefined || allowsForeign(owner, name)) return undefined;
  return foreignAddress(
    `The API key of provider ${name} is set in ${owner.file}, but its base URL in ${address.file}.`,
    `Set both in one file, or set providers.${name}.allowForeignBaseUrl in ${owner.file}.`,
    { provider: name, key_layer: owner.file, address_layer: address.file },
  );
}

/** Returns a Fault when secrets of a tool server would be given to a URL or program of a less trusted layer. */
export function findForeignServer(
  name: string,
  { url, env = {} }: McpServerSettings,
  { originOf, originsUnder }: LayerOrigins,
): Fault | undefined {
  const path = ['mcpServers', name];
  const secretEntries = Object.entries(env).filter(
    ([key, value]) => hasSecretName(key) || value.includes('${'),
  );
  const [addresses, secrets] =
    url === undefined
      ? [
          [originOf([...path, 'command']), originOf([...path, 'args'])],
          secretEntries.map(([key]) => originOf([...path, 'env', key])),
        ]
      : [
          [originOf([...path, 'url'])],
          [...originsUnder([...path, 'headers']), ...originsUnder([...path, 'oauth'])],
        ];
  for (const address of addresses) {
    const owner = findOwner(secrets, address);
    if (owner === undefined || address === undefined) continue;
    const what = url === undefined ? 'program' : 'URL';
    return foreignAddress(
      `Credentials of the tool server ${name} are set in ${owner.file}, but its ${what} in ${address.file}.`,
      `Set both in one file.`,
      { server: name, key_layer: owner.file, address_layer: address.file },
    );
  }
  return undefined;
}

/** Returns a Fault when headers or the body of a REST tool would be sent to a URL of a less trusted layer. */
export function findForeignRestTool(
  name: string,
  { originOf, originsUnder }: LayerOrigins,
): Fault | undefined {
  const path = ['restTools', name];
  const address = originOf([...path, 'url']);
  const owner = findOwner(
    [...originsUnder([...path, 'headers']), ...originsUnder([...path, 'bodyTemplate'])],
    address,
  );
  if (owner === undefined || address === undefined) return undefined;
  return foreignAddress(
    `Headers of the REST tool ${name} are set in ${owner.file}, but its URL in ${address.file}.`,
    `Set both in one file.`,
    { rest_tool: name, key_layer: owner.file, address_layer: address.file },
  );
}

/** Returns the layer of a secret that must not be sent to an address, because the address is from another layer that is not more trusted. */
function findOwner(
  secrets: readonly (ConfigLayer | undefined)[],
  address: ConfigLayer | undefined,
): ConfigLayer | undefined {
  if (address === undefined) return undefined;
  return secrets.find(
    (layer) => layer !== undefined && layer !== address && TRUST[layer.origin] >= TRUST[address.origin],
  );
}

function allowsForeign(layer: ConfigLayer, name: string): boolean {
  const { providers } = layer.values;
  const provider = isPlainObject(providers) ? providers[name] : undefined;
  return isPlainObject(provider) && provider.allowForeignBaseUrl === true;
}

function foreignAddress(message: string, hint: string, details: Record<string, string>): Fault {
  return new Fault('E_FORBIDDEN', message, { hint, details });
}
