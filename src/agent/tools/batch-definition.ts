import type { ToolDefinition } from '../tool-host.ts';

export const BATCH = 'agent__batch';

export const BATCH_DEFINITION: ToolDefinition = {
  name: BATCH,
  description: 'Runs several tools in parallel and returns all their results.',
  inputSchema: {
    type: 'object',
    properties: {
      calls: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            tool: { type: 'string' },
            parameters: { type: 'object' },
          },
          required: ['id', 'tool', 'parameters'],
        },
      },
    },
    required: ['calls'],
  },
  origin: { kind: 'internal', server: 'agent' },
};
