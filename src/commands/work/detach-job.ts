import type * as v from 'valibot';
import { join } from 'node:path';
import { startOwnProgram } from '../../app/start-own-program.ts';
import type { CommandContext } from '../../contract/command.ts';
import { jobFolder } from '../../work/run/run-folder.ts';
import type { Job } from '../../work/plan/job.ts';
import { offerResume, type ResumeOptions } from './offer-resume.ts';
import type { jobResultSchema } from './work-schemas.ts';

/** Runs a job in a separate process, which gets a token to resume exactly this job. */
export async function detachJob(
  job: Job,
  options: ResumeOptions,
  context: CommandContext,
): Promise<v.InferOutput<typeof jobResultSchema>> {
  const { tool, caller, home } = context;
  await startOwnProgram(context, await offerResume(job, options, context), {
    cwd: context.system.cwd,
    log: join(jobFolder(home.path, job.id), 'driver.log'),
    agent: caller.agent,
  });
  return {
    job_id: job.id,
    status: 'pending',
    root: job.root,
    poll: `${tool.name} work status --id ${job.id}`,
    result: `${tool.name} work result --id ${job.id}`,
  };
}
