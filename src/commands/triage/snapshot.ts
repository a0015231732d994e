import * as v from 'valibot';
import { int, number } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { SNAPSHOT_PARAMETERS, parseWindow } from './triage-parameters.ts';
import { answer, visibilitySchema } from './triage-schemas.ts';

export default defineRead({
  path: 'triage snapshot',
  summary: 'Take a snapshot of all processes and create a triage session',
  description:
    'Samples every process twice, a window apart. No process is changed. Triage sessions are kept for seven days by default',
  params: SNAPSHOT_PARAMETERS,
  output: answer({
    summary: v.object({
      total_scanned: int(),
      looked_into: int(),
      window_ms: number(),
      memory_total_mb: number(),
      memory_available_mb: number(),
      cpu_count: int(),
    }),
    visibility: visibilitySchema,
  }),
  examples: ['triage snapshot', 'triage snapshot --window 2s --fields session_id'],
  errors: ['E_FORBIDDEN', 'E_CONFIG'],
  run: ({ window, uid }, context) => triageOf(context).snapshot({ windowMs: parseWindow(window), uid }),
});
