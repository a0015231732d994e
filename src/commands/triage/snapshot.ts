import * as v from 'valibot';
import { int, number } from '../../base/schema.ts';
import { triageOf } from '../../app/open-triage.ts';
import { defineRead } from '../../contract/command.ts';
import { LOOK_PARAMETERS, parseWindow } from './triage-parameters.ts';
import { answer, visibilitySchema } from './triage-schemas.ts';

export default defineRead({
  path: 'triage snapshot',
  summary: 'Look at the processes and begin a session with what was seen',
  description:
    'Samples every process twice, a window apart. Nothing is changed; the session is kept for seven days',
  params: LOOK_PARAMETERS,
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
