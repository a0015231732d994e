import { openWorkContext } from '../../app/work/open-work-context.ts';
import type { CommandContext } from '../../contract/command.ts';
import { offerToken, targetsOf } from '../../contract/write-gate.ts';
import type { Job } from '../../work/plan/job.ts';
import { planChanges } from './plan-changes.ts';

/** How a job runs. */
export interface ResumeOptions {
  readonly jobs: number;
  readonly allowUnsandboxed: boolean;
}

/**
 * Returns the arguments that resume a job. Its caller has confirmed this plan, so they contain a token to resume exactly this job, and
 * pass the same gate as every call.
 */
export async function offerResume(
  job: Job,
  { jobs, allowUnsandboxed }: ResumeOptions,
  context: CommandContext,
): Promise<readonly string[]> {
  const command = await context.table.load('work run');
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
  const opened = { ...openWorkContext(context), warn: undefined };
  const work = allowUnsandboxed ? { ...opened, allowUnsandboxed } : opened;
  const targets = targetsOf({
    changes: await planChanges(job.items, job.root, work, { branch: job.branch }),
  });
  const request = { command, params, token: undefined, dangerous: false, continueOnError: null };
  const offer = offerToken(request, targets, {}, { ...context, requestId: undefined });
  return [
    'work',
    'run',
    '--resume',
    job.id,
    '--jobs',
    String(jobs),
    ...(allowUnsandboxed ? ['--allow-unsandboxed'] : []),
    '--confirm',
    offer.confirm_token as string,
  ];
}

/** The command that resumes an interrupted job as it is printed; undefined for any other job. */
export async function resumeJobCommand(
  job: Job,
  options: ResumeOptions,
  context: CommandContext,
): Promise<string | undefined> {
  if (job.cancelled !== true) return undefined;
  return [context.tool.name, ...(await offerResume(job, options, context))].join(' ');
}
