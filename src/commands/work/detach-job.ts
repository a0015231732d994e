import type * as v from 'valibot';
import { join } from 'node:path';
import { startOwnProgram } from '../../app/start-own-program.ts';
import type { CommandContext } from '../../contract/command.ts';
import { offerToken, targetsOf } from '../../contract/write-gate.ts';
import { jobFolder } from '../../work/run/run-folder.ts';
import type { Job } from '../../work/plan/job.ts';
import { openWorkContext } from '../../app/work/open-work-context.ts';
import { planChanges } from './plan-changes.ts';
import type { jobResultSchema } from './work-schemas.ts';

/**
 * Runs a job in a separate process. The caller has confirmed this plan; the process gets a token to resume exactly this job, so it
 * passes the same gate as every caller.
 */
export async function detachJob(
  job: Job,
  { jobs, allowUnsandboxed }: { readonly jobs: number; readonly allowUnsandboxed: boolean },
  context: CommandContext,
): Promise<v.InferOutput<typeof jobResultSchema>> {
  const { tool, table, caller, home } = context;
  const command = await table.load('work run');
  if (command.kind !== 'write') throw new Error('work run is a write');
  const params = {
    resume: job.id,
    from_tasks: false,
    jobs,
    detach: false,
    pull_request: false,
    stream: false,
    allow_unsandboxed: allowUnsandboxed,
  };
  const opened = openWorkContext(context);
  const system = allowUnsandboxed ? { ...opened, allowUnsandboxed } : opened;
  const targets = targetsOf({ changes: await planChanges(job.items, job.root, system, job.branch) });
  const request = { command, params, token: undefined, dangerous: false, continueOnError: null };
  const offer = offerToken(request, targets, {}, { ...context, requestId: undefined });
  await startOwnProgram(
    context,
    [
      'work',
      'run',
      '--resume',
      job.id,
      '--jobs',
      String(jobs),
      ...(allowUnsandboxed ? ['--allow-unsandboxed'] : []),
      '--confirm',
      offer.confirm_token as string,
    ],
    {
      cwd: context.system.cwd,
      log: join(jobFolder(home.path, job.id), 'driver.log'),
      agent: caller.agent,
    },
  );
  return {
    job_id: job.id,
    status: 'pending',
    root: job.root,
    poll: `${tool.name} work status --id ${job.id}`,
    result: `${tool.name} work result --id ${job.id}`,
  };
}
