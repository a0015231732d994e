import type { JsonObject } from '../../src/base/json.ts';
import { renderJsonSchema } from '../../src/contract/json-schema.ts';
import { AGENT_SCHEMA } from '../../src/work/executors/agent-config.ts';
import { WORK_ITEM_SCHEMA } from '../../src/work/item/work-item.ts';
import { schemaDocument } from './agent-schemas.ts';

/** The JSON Schema of a plan: one item, or a list of items. */
export function planSchema(): JsonObject {
  const { $schema, ...item } = renderJsonSchema(WORK_ITEM_SCHEMA, 'input');
  const items = { type: 'array', items: item, minItems: 1 };
  return schemaDocument('plan', 'A plan of deed work run', {
    $schema: $schema ?? null,
    anyOf: [items, item],
  });
}

/** The JSON Schema of the setting `work.agents`. */
export function workAgentsSchema(): JsonObject {
  const { $schema, ...agent } = renderJsonSchema(AGENT_SCHEMA, 'input');
  return schemaDocument('work-agents', 'The setting work.agents', {
    $schema: $schema ?? null,
    type: 'object',
    properties: {
      $schema: {
        type: 'string',
        description: 'The JSON Schema of this value, for editors; ignored otherwise',
      },
    },
    additionalProperties: agent,
  });
}
