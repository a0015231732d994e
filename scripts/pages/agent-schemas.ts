import { CONFIG_SCHEMA } from '../../src/agent/config/config-schema.ts';
import { FRONTMATTER_SCHEMA } from '../../src/agent/prompt-file/frontmatter-schema.ts';
import { DEFAULT_CONTEXT, DEFAULT_LIMITS } from '../../src/agent/session-config.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { renderJsonSchema } from '../../src/contract/json-schema.ts';
import { AGENT_CONFIG_DESCRIPTIONS } from './agent-config-descriptions.ts';
import { PROMPT_FILE_DESCRIPTIONS } from './prompt-file-descriptions.ts';

/** Where the schemas are after a release: the npm package, which this address serves. */
const BASE = 'https://unpkg.com/deed-cli/schemas';

/** Defaults of session settings; they apply in `defaults` and in the frontmatter. */
const DEFAULTS: Readonly<Record<string, boolean | number | string>> = {
  ...(DEFAULT_LIMITS as unknown as Record<string, number>),
  ...DEFAULT_CONTEXT,
  toolingTransport: 'xml-final',
  format: 'markdown',
  stream: true,
  traceTools: false,
  progressReports: true,
  batch: true,
};

/** The JSON Schema of `ai-agent.json`, with descriptions and defaults. */
export function configFileSchema(): JsonObject {
  const schema = renderJsonSchema(CONFIG_SCHEMA, 'input');
  return schemaDocument('ai-agent', 'ai-agent.json', describe(schema, '', AGENT_CONFIG_DESCRIPTIONS));
}

/** The JSON Schema of the frontmatter of a `.ai` file, with descriptions and defaults. */
export function promptFileSchema(): JsonObject {
  const schema = renderJsonSchema(FRONTMATTER_SCHEMA, 'input');
  const descriptions = { ...AGENT_CONFIG_DESCRIPTIONS, ...PROMPT_FILE_DESCRIPTIONS };
  return schemaDocument('prompt-file', 'The frontmatter of a .ai file', describe(schema, '', descriptions));
}

/** A schema with its address and title. */
export function schemaDocument(name: string, title: string, { $schema, ...schema }: JsonObject): JsonObject {
  return { $schema: $schema ?? null, $id: `${BASE}/${name}.schema.json`, title, ...schema };
}

function describe(
  schema: JsonObject,
  path: string,
  descriptions: Readonly<Record<string, string>>,
): JsonObject {
  const { properties, additionalProperties } = schema;
  const hasDefaults = path === 'defaults' || (path === '' && descriptions.agents !== undefined);
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, JsonObject>).map(([name, value]) => {
          const at = path === '' ? name : `${path}.${name}`;
          const described = {
            description: find(at, name, descriptions),
            ...describe(value, at, descriptions),
          };
          const fallback = hasDefaults ? DEFAULTS[name] : undefined;
          return [name, fallback === undefined ? described : { ...described, default: fallback }];
        }),
      ),
    }),
    ...(typeof additionalProperties === 'object' &&
      additionalProperties !== null && {
        additionalProperties: describe(additionalProperties as JsonObject, `${path}.<name>`, descriptions),
      }),
  };
}

function find(path: string, name: string, descriptions: Readonly<Record<string, string>>): string {
  const description = descriptions[path] ?? descriptions[name];
  if (description === undefined) throw new Error(`No description of "${path}" in scripts/pages`);
  return description;
}
