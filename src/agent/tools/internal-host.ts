import type { ToolDefinition, ToolHost } from '../tool-host.ts';
import { BATCH_DEFINITION } from './batch-definition.ts';

export const PROGRESS_REPORT = 'agent__progress_report';

const PROGRESS_DEFINITION: ToolDefinition = {
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

/** Offers the tools that a session itself answers, besides the report: progress for a waiting person, and batches. */
export function createInternalHost(
  offered: { readonly progressReports: boolean; readonly batch: boolean },
  tell: (message: string) => void,
): ToolHost {
  return {
    name: 'agent',
    start: async () => {},
    listTools: () => [
      ...(offered.progressReports ? [PROGRESS_DEFINITION] : []),
      ...(offered.batch ? [BATCH_DEFINITION] : []),
    ],
    call: async (name, { progress }) => {
      // A batch runs other calls, so it is taken apart before it would come here.
      if (name !== PROGRESS_REPORT || typeof progress !== 'string')
        return { ok: false, reason: 'not callable' };
      tell(progress);
      return { ok: true, text: 'ok' };
    },
    close: async () => {},
  };
}
