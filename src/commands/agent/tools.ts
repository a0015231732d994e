import * as z from '../../base/schema/schema.ts';
import { defineRead } from '../../contract/command.ts';

export default defineRead({
  path: 'agent tools',
  summary: 'Start tool servers and list their tools',
  description: 'Starts the given tool servers, or all configured ones, lists their tools, and stops them',
  params: {
    tools: z.described(z.optional(z.array(z.string())), 'Tool servers and REST tools; all by default'),
    config: z.described(z.optional(z.string()), 'Configuration file with the highest priority'),
  },
  get output() {
    return z.object({
      count: z.int(),
      items: z.array(
        z.object({
          name: z.string(),
          server: z.string(),
          kind: z.string(),
          queue: z.string(),
          description: z.string(),
          input_schema: z.record(z.string(), z.unknown()),
        }),
      ),
      _untrusted: z.optional(z.array(z.string())),
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
