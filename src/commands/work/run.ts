import { cleanIfDue } from '../../app/retention/clean-if-due.ts';
import { databaseOf } from '../../app/locate-store.ts';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { canonicalJson } from '../../base/json.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { refusedToken } from '../../contract/confirm-token.ts';
import { WORK_LIMITS } from '../../work/work-limits.ts';
import { findJob, type Job } from '../../work/plan/job.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { loadWork } from './load-work.ts';
import { requireJobResult } from './require-job-result.ts';
import { interruptedJob, openRunContext, reportEvents } from './open-run-context.ts';
import { resumeJobCommand } from './offer-resume.ts';
import { planChanges } from './plan-changes.ts';
import { renderJob, renderJobFault } from './job-summary.ts';
import { exactlyOne, readPlan } from './read-plan.ts';
import { withWatchLink } from './watch-link.ts';
import { jobId } from './work-ids.ts';
import { jobResultSchema, JOB_TEXT, rootParameter } from './work-schemas.ts';
import { assertTaskParameters, readTaskPlan, TASK_PARAMETERS } from './task-parameters.ts';

const PARAMETERS = {
  file: described(
    v.optional(v.pipe(v.string(), v.minLength(1))),
    'Plan file: one work item or an array of them, as JSON or YAML',
  ),
  resume: jobId(
    described(
      v.optional(v.pipe(v.string(), v.minLength(1))),
      'Resume this job instead; successful items are not run again',
    ),
  ),
  ...TASK_PARAMETERS,
  root: rootParameter,
  jobs: described(
    v.optional(v.pipe(int(), v.minValue(1), v.maxValue(WORK_LIMITS.jobs)), 2),
    'Maximum number of items that run in parallel',
  ),
  detach: described(v.optional(v.boolean(), false), 'Return immediately and run the job in the background'),
  allow_unsandboxed: described(
    v.optional(v.boolean(), false),
    'Run commands unsandboxed if this machine cannot confine them',
  ),
  branch: described(
    v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
    'Land each run as a commit on this branch; HEAD, index and files of the tree stay as they are',
  ),
  pull_request: described(
    v.optional(v.boolean(), false),
    'With --branch: push the branch and open a pull request with gh or glab, if one is signed in',
  ),
  on: described(
    v.optional(v.pipe(v.string(), v.minLength(1))),
    'Put the items into this queue: workers run them on other hosts, and the results land on a branch of the remote (--branch, or the checked-out branch)',
  ),
  stream: described(v.optional(v.boolean(), false), 'Print each event as a line of JSON, then the result'),
};

export default defineWrite({
  path: 'work run',
  summary: 'Run a plan; each item is applied completely or not at all, with a receipt',
  description:
    'Each item runs in a workspace on top of the tree. Its changes are promoted only if it stayed within its limits and passed its tests. ' +
    'An item: {"id":"fix","agent_id":"agent-1","description":"…","dependencies":[],"constraints":{"max_files":10,"max_tool_ops":50,' +
    '"max_delta_size":100,"timeout_ms":300000},"input_files":[],"output_files":[],"test_command":"npm test","approval":false,"network":true}. ' +
    'Further members: paths {allow, deny}, max_lines, forbid, setup_command, working_directory, env, services, retries. ' +
    'Agents are programs from the setting work.agents, or prompt files in the tree that end in .ai.',
  params: PARAMETERS,
  positionals: ['file'],
  output: jobResultSchema,
  untrusted: JOB_TEXT,
  examples: [
    'work run plan.yaml --dry-run',
    'work run plan.yaml --jobs 4 --confirm <token>',
    'work run plan.yaml --branch deed/fix-login --dry-run',
    'work run --from-tasks --agent agent-1 --test-command "npm test" --dry-run',
    'work run plan.yaml --on build --detach --dry-run',
    'work run --resume job_6a2x74g09zy4f --confirm <token>',
  ],
  errors: [
    'E_NOT_FOUND',
    'E_CONFLICT',
    'E_DENIED',
    'E_TESTS_FAILED',
    'E_AGENT_FAILED',
    'E_HUMAN_REQUIRED',
    'E_PROTECTED',
    'E_TIMEOUT',
    'E_DAMAGED',
    'E_FORBIDDEN',
    'E_CONFIG',
    'E_NETWORK',
  ],
  renderText: renderJob,
  renderFault: renderJobFault,
  streams: ({ stream, detach }) => stream && !detach,
  database: (_params, context) => databaseOf({}, context),
  plan: async (params, context) => {
    exactlyOne(
      ['file', 'resume', 'from-tasks'],
      [params.file, params.resume, params.from_tasks || undefined],
    );
    assertTaskParameters(params);
    if (params.stream && params.detach) {
      throw new Fault('E_VALIDATION', 'Pass --stream or --detach, not both.', {
        details: { field: 'stream' },
      });
    }
    const { assertAgents, assertPatterns, locateTree, requireIsolation } = await loadWork();
    const work = await openRunContext(params, context);
    const job = params.resume === undefined ? undefined : await readResumed(params.resume, work, context);
    const queue = queueOf(params, job);
    // The workers of a queue confine their own items.
    if (queue === undefined) await requireIsolation(work);
    const known = job?.items ?? (params.from_tasks ? undefined : await readPlan(params.file ?? '', context));
    const tree =
      job === undefined ? await locateTree(work, resolve(context.system.cwd, params.root ?? '.')) : undefined;
    const root = job?.root ?? tree?.root ?? '';
    const items = known ?? (await readTaskPlan(params, root, context));
    assertPatterns(items);
    if (queue !== undefined) {
      const { planOnQueue } = await import('./run-on-queue.ts');
      const request = { queue, root, items, branch: job?.branch ?? params.branch, resumed: job };
      return { changes: await planOnQueue(request, work, context), items, root, tree, job, queue };
    }
    assertAgents(items, work);
    const branch = job?.branch ?? params.branch;
    await assertBranch(params, job, work, root);
    return {
      changes: await planChanges(items, root, work, { branch, isNew: job === undefined }),
      items,
      root,
      tree,
      job,
      queue,
    };
  },
  run: async (params, context, { items, root, tree, job: resumed, changes, queue }) => {
    if (queue !== undefined) {
      const { runOnQueue } = await import('./run-on-queue.ts');
      const work = await openRunContext(params, context);
      const { branch, detach } = params;
      return runOnQueue(
        { queue, root, items, branch: resumed?.branch ?? branch, detach, resumed },
        work,
        context,
      );
    }
    const { createJob, claimTasks, runJob } = await loadWork();
    const { followItems } = await import('./follow-items.ts');
    const follower = followItems(items, context);
    const work = await openRunContext(params, context, reportEvents(context, follower));
    // The plan has warned already.
    const quiet = { ...work, warn: undefined };
    const now = await planChanges(items, root, quiet, {
      branch: resumed?.branch ?? params.branch,
      isNew: resumed === undefined,
    });
    if (canonicalJson(now) !== canonicalJson(changes))
      throw refusedToken('changed', 'The agents changed since the dry run.');
    const { jobs, branch } = params;
    const job = resumed ? { ...resumed, jobs } : createJob(work, items, { root, jobs, branch });
    return withWatchLink(job.id, context, async () => {
      // If two callers have the same plan, the first one gets the tasks.
      if (params.from_tasks) await claimTasks(work, job);
      const options = { jobs: params.jobs, allowUnsandboxed: params.allow_unsandboxed };
      if (params.detach) return (await import('./detach-job.ts')).detachJob(job, options, context);
      context.onForcedExit(() => interruptedJob(context.tool.name, job));
      const ended = await runJob(job, work, tree).finally(follower.stop);
      await cleanIfDue(context);
      const resume = await resumeJobCommand(ended, options, context);
      const answer = requireJobResult(context.tool.name, work.home, ended, work.clock.now(), resume);
      if (ended.branch === undefined) return answer;
      const { openPullRequest } = await import('../../app/work/open-pull-request.ts');
      const pull_request = await openPullRequest(context, ended, params.pull_request);
      return { ...answer, ...(pull_request && { pull_request }) };
    });
  },
});

/** Reads the job to resume; one in a queue as it is now, even if another home submitted it. */
async function readResumed(id: string, work: WorkContext, context: CommandContext): Promise<Job> {
  const known = findJob(work.home, id);
  if (known !== undefined && known.fleet === undefined) return known;
  const { readCurrentJob, requireClone, requireQueued } = await import('./follow-fleet.ts');
  const job = await readCurrentJob(id, context);
  if (job.fleet !== undefined) requireClone(requireQueued(job), work);
  return job;
}

/** The queue of a new or a resumed job; undefined for a job that runs on this machine. */
function queueOf(
  { on, pull_request }: { readonly on?: string | undefined; readonly pull_request: boolean },
  job: Job | undefined,
): string | undefined {
  if (job !== undefined && on !== undefined && on !== job.fleet?.queue)
    throw new Fault('E_VALIDATION', 'A resumed job keeps its queue; omit --on.', {
      details: { field: 'on' },
    });
  const queue = on ?? job?.fleet?.queue;
  if (queue !== undefined && pull_request)
    throw new Fault('E_VALIDATION', 'Pass --on or --pull-request, not both.', {
      details: { field: 'pull_request' },
    });
  return queue;
}

/** Checks the parameters that concern a branch before anything runs. */
async function assertBranch(
  params: { readonly branch?: string | undefined; readonly pull_request: boolean; readonly detach: boolean },
  job: Job | undefined,
  work: WorkContext,
  root: string,
): Promise<void> {
  const invalid = (message: string, field: string): Fault =>
    new Fault('E_VALIDATION', message, { details: { field } });
  if (job !== undefined && params.branch !== undefined && params.branch !== job.branch)
    throw invalid('A resumed job keeps its branch; omit --branch.', 'branch');
  const branch = job?.branch ?? params.branch;
  if (params.pull_request && branch === undefined)
    throw invalid('--pull-request requires --branch.', 'pull_request');
  if (params.pull_request && params.detach)
    throw invalid('Pass --pull-request or --detach, not both.', 'pull_request');
  if (branch === undefined) return;
  const { assertLanding, warnUncommitted } = await loadWork();
  await assertLanding(work, root, branch);
  if (job === undefined) await warnUncommitted(work, root, 'Commit them first, or run without --branch.');
}
