import { dirname, isAbsolute, resolve } from 'node:path';
import type { ConfigLayer } from './config-layers.ts';
import { expandKnown, findVariables, type Variables } from './placeholders.ts';

/** Where the settings of a tool server come from. */
export interface ServerSource {
  /** The folder of the file that configures its program or working directory; undefined for a configuration without a file. */
  readonly folder: string | undefined;
  /** Returns the variables of the `.env` file next to the file that sets an entry. */
  readonly variables: (field: ServerField, key: string) => Variables;
}

/** Fields whose placeholders are resolved when the server starts. */
export type ServerField = 'env' | 'headers';

/** Returns the source of a server from the layers that its settings came from. */
export function serverSource(
  name: string,
  originOf: (path: readonly string[]) => ConfigLayer | undefined,
): ServerSource {
  const owner = originOf(['mcpServers', name, 'cwd']) ?? originOf(['mcpServers', name, 'command']);
  return {
    folder: owner !== undefined && isAbsolute(owner.file) ? dirname(owner.file) : undefined,
    variables: (field, key) => originOf(['mcpServers', name, field, key])?.variables ?? {},
  };
}

/** Resolves the placeholders of `env` or `headers`: from the `.env` file of the layer, then from the environment. Others stay as they are. */
export function resolveServerField(
  values: Readonly<Record<string, string>> = {},
  field: ServerField,
  source: ServerSource | undefined,
  env: Variables,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      const own = source?.variables(field, key) ?? {};
      return Object.entries(expandKnown({ [key]: value }, { ...env, ...own }));
    }),
  );
}

/** Returns the working directory of a server: its own setting, from the folder of its configuration. */
export function serverFolder(
  cwd: string | undefined,
  source: ServerSource | undefined,
  defaultFolder: string,
): string {
  return resolve(source?.folder ?? defaultFolder, cwd ?? '.');
}

/** Describes variables of `env` and `headers` that are not set: the server gets the placeholder as it is. */
export function describeUnset(
  name: string,
  settings: Readonly<Partial<Record<ServerField, Readonly<Record<string, string>>>>>,
  source: ServerSource,
  env: Variables,
): readonly string[] {
  return (['env', 'headers'] as const).flatMap((field) =>
    Object.entries(resolveServerField(settings[field], field, source, env)).flatMap(([key, value]) => {
      // Only a placeholder of the configuration: the value of a variable may contain the same text.
      const unset = findVariables(value).find((each) =>
        findVariables(settings[field]?.[key] ?? '').includes(each),
      );
      return unset === undefined
        ? []
        : `mcpServers.${name}.${field}.${key} uses \${${unset}}, but the variable is not set; the server gets the text as it is. Set ${unset} in the environment or in the .env file next to the configuration.`;
    }),
  );
}
