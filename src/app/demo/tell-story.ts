import { quoteForShell } from '../../base/quote-for-shell.ts';
import { isOurs, type DemoCaller } from './demo-caller.ts';
import { plain, quote, refused, shown, type DemoCall, type DemoTale } from './demo-step.ts';
import type { DemoStage } from './open-stage.ts';

/** A fresh agent asks what has happened; then every call of the demo is found in its audit log. */
export async function tellStory(
  stage: DemoStage,
  { call, calls }: DemoCaller,
  before: readonly DemoCall[],
  runIds: readonly string[],
): Promise<DemoTale> {
  const resumed = await call([
    'vybe',
    'resume',
    '--agent',
    'newcomer',
    '--request-id',
    'newcomer-1',
    '--project-dir',
    stage.repository,
  ]);
  const { prompt, brief } = resumed.data as unknown as {
    prompt: string;
    brief: { runs: { message: string }[] };
  };
  const told = runIds.filter((id) => prompt.includes(id));
  const made = [...before, ...calls].filter(isOurs).length;
  const listed = await call(['deed', 'audit', 'list', '--limit', '1000', '--fields', 'phase,command']);
  const ended = (listed.data as unknown as { items: { phase: string; command: string }[] }).items.filter(
    ({ phase, command }) => phase === 'end' && command !== 'agent run',
  ).length;
  await call(['deed', 'audit', 'verify']);
  return {
    id: 'resume',
    title: 'A fresh agent asks where things stand',
    lines: [
      ...brief.runs.map(({ message }) => quote(message)),
      runIds.length === 0
        ? plain('There were no runs, so there is little to tell.')
        : told.length === runIds.length
          ? shown(
              `One call, and it knows of all ${told.length} runs, what was denied and why (${prompt.length} characters for its context).`,
            )
          : refused(`It was told of ${told.length} runs out of ${runIds.length}.`),
      ended === made
        ? shown(`All ${made} calls above are in the audit log, and its chain holds.`)
        : refused(`Of ${made} calls ${ended} are in the audit log.`),
      plain(`Look around: . ${quoteForShell(`${stage.folder}/enter.sh`)} && deed receipt list --format text`),
      plain(`Remove it all: rm -r ${quoteForShell(stage.folder)}`),
    ],
    facts: {
      prompt,
      calls: made,
      audited: ended,
      runs_told: told,
      folder: stage.folder,
    },
  };
}
