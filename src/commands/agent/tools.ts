import * as v from 'valibot';
import { described, int, record } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';

export default defineRead({
  path: 'agent tools',
  summary: 'Start tool servers and list their tools',
  description: 'Starts the given tool servers, or all configured ones, lists their tools, and stops them',
  params: {
    tools: described(v.optional(v.array(v.string())), 'Tool servers and REST tools; all by default'),
    config: described(v.optional(v.string()), 'Configuration file with the highest priority'),
  },
  get output() {
    return v.object({
      count: int(),
      items: v.array(
        v.object({
          name: v.string(),
          server: v.string(),
          kind: v.string(),
          queue: v.string(),
          description: v.string(),
          input_schema: record(v.unknown()),
        }),
      ),
      _untrusted: v.optional(v.array(v.string())),
    });
  },
  untrusted: ['items[].description', 'items[].input_schema'],
  examples: ['agent tools', 'agent tools --tools filesystem --fields items.name'],
  errors: ['E_CONFIG', 'E_NOT_FOUND', 'E_INTERRUPTED'],
  run: async (params, context) => {
    const { listAgentTools } = await import('../../app/agent/list-agent-tools.ts');
    const items = await listAgentTools(params, context);
    return { count: items.length, items: [...items] };
  },
});
