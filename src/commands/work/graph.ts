import { ownMember } from '../../base/own-member.ts';
import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { renderGraph } from '../../work/item/render-graph.ts';
import { resolveDependencies } from '../../work/item/resolve-dependencies.ts';
import { itemStateOrDamage, readJob, runStateOrDamage } from '../../work/plan/job.ts';
import { exactlyOne, readPlan } from './read-plan.ts';
import { fileOrJobId, isJobReference, jobId } from './work-ids.ts';

export default defineRead({
  path: 'work graph',
  summary: 'Show the dependency graph of a plan, or of a job with its progress',
  params: {
    file: fileOrJobId(
      described(
        v.optional(v.pipe(v.string(), v.minLength(1))),
        'Plan file, or the id of a job; if a file of that name exists, it is used',
      ),
    ),
    id: jobId(described(v.optional(v.pipe(v.string(), v.minLength(1))), 'Job id, instead of a plan')),
    as: described(v.optional(v.picklist(['text', 'mermaid', 'svg']), 'text'), 'Output format of the graph'),
  },
  positionals: ['file'],
  output: v.object({
    as: v.picklist(['text', 'mermaid', 'svg']),
    levels: v.array(v.array(v.string())),
    graph: v.string(),
  }),
  examples: [
    'work graph plan.yaml',
    'work graph plan.yaml --as svg --format raw',
    'work graph job_6a2x74g09zy4f --as mermaid',
  ],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: async ({ file, id, as }, context) => {
    exactlyOne(['file', 'id'], [file, id]);
    const jobReference = id ?? (isJobReference(file ?? '', context) ? file : undefined);
    const job = jobReference === undefined ? undefined : readJob(context.home.path, jobReference);
    const items = job?.items ?? (await readPlan(file ?? '', context));
    const nodes = items.map((item) => ({
      ...item,
      status: job && statusOf(context.home.path, job, item.id),
    }));
    return {
      as,
      levels: resolveDependencies(items).map((level) => level.map((item) => item.id)),
      graph: await renderGraph(nodes, as),
    };
  },
  renderText: ({ graph }) => graph,
  renderRaw: ({ graph }) => graph,
});

function statusOf(home: string, job: ReturnType<typeof readJob>, itemId: string): string {
  const isReconciler = job.items.some(({ id, agent_id }) => id === itemId && agent_id === 'agent-0');
  const state =
    isReconciler && ownMember(job.runs, itemId) === undefined && job.reconciledBy !== undefined
      ? runStateOrDamage(home, job.reconciledBy)
      : itemStateOrDamage(home, job, itemId);
  return state.status;
}
