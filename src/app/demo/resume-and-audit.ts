import { quoteForShell } from '../../base/quote-for-shell.ts';
import { isAudited, type DemoCaller } from './demo-caller.ts';
import { plain, quote, refused, shown, type DemoCall, type StepReport } from './demo-step.ts';
import type { DemoEnvironment } from './create-environment.ts';

/** Step: a new agent resumes the project; then every call of the demo is found in the audit log. */
export async function resumeAndAudit(
  demo: DemoEnvironment,
  { call, calls }: DemoCaller,
  before: readonly DemoCall[],
  runIds: readonly string[],
): Promise<StepReport> {
  const resumed = await call([
    'vybe',
    'resume',
    '--agent',
    'newcomer',
    '--request-id',
    'newcomer-1',
    '--project-dir',
    demo.repository,
  ]);
  const { prompt, brief } = resumed.data as unknown as {
    prompt: string;
    brief: { runs: { message: string }[] };
  };
  const known = runIds.filter((id) => prompt.includes(id));
  const expected = [...before, ...calls].filter(isAudited).length;
  const listed = await call(['deed', 'audit', 'list', '--limit', '1000', '--fields', 'phase,command']);
  const audited = (listed.data as unknown as { items: { phase: string; command: string }[] }).items.filter(
    ({ phase, command }) => phase === 'end' && command !== 'agent run',
  ).length;
  await call(['deed', 'audit', 'verify']);
  return {
    id: 'resume',
    title: 'Resume as a new agent',
    lines: [
      ...brief.runs.map(({ message }) => quote(message)),
      runIds.length === 0
        ? plain('There were no runs.')
        : known.length === runIds.length
          ? shown(
              `One call returned all ${known.length} runs, what was denied and why (${prompt.length} characters of context).`,
            )
          : refused(`It returned ${known.length} of ${runIds.length} runs.`),
      audited === expected
        ? shown(`All ${expected} calls above are in the audit log, and its chain is valid.`)
        : refused(`${audited} of ${expected} calls are in the audit log.`),
      plain(`Look around: . ${quoteForShell(`${demo.folder}/enter.sh`)} && deed receipt list --format text`),
      plain(`Remove everything: rm -r ${quoteForShell(demo.folder)}`),
    ],
    facts: {
      prompt,
      calls: expected,
      audited,
      runs_told: known,
      folder: demo.folder,
    },
  };
}
