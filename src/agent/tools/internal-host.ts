import type { ToolDefinition, ToolHost } from '../tool-host.ts';
import { BATCH_DEFINITION } from './batch-definition.ts';

export const PROGRESS_REPORT = 'agent__progress_report';

const PROGRESS_DEFINITION: ToolDefinition = {
  name: PROGRESS_REPORT,
  description:
    'Reports progress to the user: what you found and what you do next, in one sentence. Call it together with other tools, never alone.',
  inputSchema: {
    type: 'object',
    properties: { progress: { type: 'string', minLength: 1 } },
    required: ['progress'],
  },
  repeatable: true,
  origin: { kind: 'internal', server: 'agent' },
};

/** Creates the host of the session's own tools: progress reports and batches. */
export function createInternalHost(
  enabled: { readonly progressReports: boolean; readonly batch: boolean },
  onProgress: (message: string) => void,
): ToolHost {
  return {
    name: 'agent',
    start: async () => {},
    listTools: () => [
      ...(enabled.progressReports ? [PROGRESS_DEFINITION] : []),
      ...(enabled.batch ? [BATCH_DEFINITION] : []),
    ],
    call: async (name, { progress }) => {
      // Batches never reach this host: runCalls runs their inner calls directly.
      if (name !== PROGRESS_REPORT || typeof progress !== 'string')
        return { ok: false, reason: 'not callable' };
      onProgress(progress);
      return { ok: true, text: 'ok' };
    },
    close: async () => {},
  };
}
