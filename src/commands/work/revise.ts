import * as v from 'valibot';
import { databaseOf } from '../../app/locate-store.ts';
import { cleanIfDue } from '../../app/retention/clean-if-due.ts';
import { described } from '../../base/schema.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { readDraft } from '../../work/run/stored-draft.ts';
import { fileChanges, journalChanges } from './define-decision.ts';
import { requireJobResult } from './require-job-result.ts';
import { loadWork } from './load-work.ts';
import { interruptedJob, openRunContext, reportEvents } from './open-run-context.ts';
import { resumeJobCommand } from './offer-resume.ts';
import { planChanges } from './plan-changes.ts';
import { personOrAgent, requireDecider, showsRun } from './require-person.ts';
import { withWatchLink } from './watch-link.ts';
import { jobResultSchema, JOB_TEXT, runIdParameter } from './work-schemas.ts';

export default defineWrite({
  path: 'work revise',
  summary: 'Send a run back to its agent with a comment, and run the item again',
  description:
    'The agent gets the comment, its changes as a diff, and the test output; its changes are in the workspace again, and Claude Code and ' +
    'Codex continue their session. Applies to the last run of an item: waiting for approval, denied, failed or promoted. ' +
    'Only a person can send a waiting run back.',
  params: {
    id: runIdParameter,
    comment: described(
      v.pipe(v.string(), v.minLength(1), v.maxLength(10_000)),
      'What the agent should change, recorded in the receipts',
    ),
    detach: described(
      v.optional(v.boolean(), false),
      'Return immediately and run the item in the background',
    ),
    allow_unsandboxed: described(
      v.optional(v.boolean(), false),
      'Run commands unsandboxed if this machine cannot confine them',
    ),
    stream: described(v.optional(v.boolean(), false), 'Print each event as a line of JSON, then the result'),
  },
  positionals: ['id'],
  output: jobResultSchema,
  untrusted: JOB_TEXT,
  examples: [
    'work revise run_6a2x74g1q2w8d --comment "Keep the old name as an alias" --dry-run',
    'work revise run_6a2x74g1q2w8d --comment "Keep the old name as an alias" --confirm <token>',
  ],
  errors: [
    'E_NOT_FOUND',
    'E_CONFLICT',
    'E_DENIED',
    'E_TESTS_FAILED',
    'E_AGENT_FAILED',
    'E_HUMAN_REQUIRED',
    'E_TIMEOUT',
    'E_DAMAGED',
    'E_FORBIDDEN',
  ],
  streams: ({ stream, detach }) => stream && !detach,
  database: (_params, context) => databaseOf({}, context),
  plan: async (params, context) => {
    const { assertAgents, requireIsolation, requireRevisable } = await loadWork();
    const home = context.home.path;
    const { job, itemId, status } = requireRevisable(home, params.id);
    senderOf(params.id, context, status);
    const work = await openRunContext(params, context);
    await requireIsolation(work);
    assertAgents(job.items, work);
    const draft = status === 'waiting' ? readDraft(home, params.id) : undefined;
    return {
      changes: [
        ...(draft ? [...fileChanges(draft, 'sent_back'), ...journalChanges(draft, 'sent_back')] : []),
        {
          action: 'send back',
          resource: 'run',
          id: params.id,
          after: { item: itemId, status, comment: params.comment },
          version: params.id,
        },
        ...(await planChanges(job.items, job.root, work)),
      ],
      status,
    };
  },
  run: async (params, context, { status }) => {
    const { reviseRun, runJob } = await loadWork();
    const work = await openRunContext(params, context, reportEvents(context));
    const job = await reviseRun(work, params.id, {
      comment: params.comment,
      by: senderOf(params.id, context, status),
      at: new Date(work.clock.now()).toISOString(),
    });
    const options = { jobs: job.jobs, allowUnsandboxed: params.allow_unsandboxed };
    return withWatchLink(job.id, context, async () => {
      if (params.detach) return (await import('./detach-job.ts')).detachJob(job, options, context);
      context.onForcedExit(() => interruptedJob(context.tool.name, job));
      const ended = await runJob(job, work);
      await cleanIfDue(context);
      const resume = await resumeJobCommand(ended, options, context);
      return requireJobResult(context.tool.name, work.home, ended, work.clock.now(), resume);
    });
  },
});

/** Who sends a run back. Like a rejection, it takes the decision about a waiting run; a run that ended can be run again by anyone. */
function senderOf(id: string, context: CommandContext, status: string): string {
  return status === 'waiting'
    ? requireDecider(context, 'send back a waiting run', showsRun(id, context))
    : personOrAgent(context);
}
