import { defineRead } from '../../contract/command.ts';
import { readCurrentJob } from './follow-fleet.ts';
import { requireJobResult } from './require-job-result.ts';
import { renderJob, renderJobFault } from './job-summary.ts';
import { jobIdParameter, jobResultSchema, JOB_TEXT } from './work-schemas.ts';

export default defineRead({
  path: 'work result',
  summary: 'Show the result of a finished job, as "work run" returns it',
  params: { id: jobIdParameter },
  positionals: ['id'],
  output: jobResultSchema,
  untrusted: JOB_TEXT,
  examples: ['work result job_6a2x74g09zy4f', 'work result --id job_6a2x74g09zy4f --compact'],
  errors: [
    'E_NOT_FOUND',
    'E_CONFLICT',
    'E_DENIED',
    'E_TESTS_FAILED',
    'E_AGENT_FAILED',
    'E_HUMAN_REQUIRED',
    'E_INTERRUPTED',
    'E_TIMEOUT',
    'E_DAMAGED',
    'E_NETWORK',
    'E_AUTH',
    'E_FORBIDDEN',
  ],
  renderText: renderJob,
  renderFault: renderJobFault,
  run: async ({ id }, context) => {
    const { home, system, tool } = context;
    return requireJobResult(tool.name, home.path, await readCurrentJob(id, context), system.clock.now());
  },
});
