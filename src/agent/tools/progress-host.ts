import type { ToolDefinition, ToolHost } from '../tool-host.ts';

export const PROGRESS_REPORT = 'agent__progress_report';

const DEFINITION: ToolDefinition = {
  name: PROGRESS_REPORT,
  description:
    'Tells the user in one sentence what was found and what comes next. Call it together with other tools, never alone.',
  inputSchema: {
    type: 'object',
    properties: { progress: { type: 'string', minLength: 1 } },
    required: ['progress'],
  },
  origin: { kind: 'internal', server: 'agent' },
};

/** Lets a model tell a waiting person how the work stands. */
export function createProgressHost(tell: (message: string) => void): ToolHost {
  return {
    name: 'agent',
    start: async () => {},
    listTools: () => [DEFINITION],
    call: async (_name, args) => {
      const { progress } = args;
      if (typeof progress === 'string') tell(progress);
      return { ok: true, text: 'ok' };
    },
    close: async () => {},
  };
}
