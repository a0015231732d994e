import { listOldJobs, listOldRuns, retireRuns, type RetiredTime } from '../../work/plan/retire-runs.ts';
import { measureFolder, measurePaths } from '../../system/measure-folder.ts';
import { openWorkContext } from '../work/open-work-context.ts';
import { listOldFiles, diskSizeOf } from './old-files.ts';
import { daysOf, NOTHING, type RetentionContext, type RetentionRule } from './retention-rule.ts';

/** Files of runs that receipts cover, and jobs. */
export const RUN_RULE: RetentionRule = {
  part: 'runs',
  describe: ({ runsMs }) =>
    `Receipts, items and results indefinitely; logs, records and jobs for ${daysOf(runsMs)}`,
  paths: ({ home }) => [home.at('runs'), home.at('jobs')],
  plan: async (context) => sizeOfOld(context),
  collect: async (context) => {
    const { path } = context.command.home;
    const removal = sizeOfOld(context);
    retireRuns(path, listOldRuns(path, timeOf(context)), listOldJobs(path, timeOf(context)));
    return removal;
  },
};

/** Contents, states of trees and workspaces; the folders of replays that were killed. */
export const REPLAY_RULE: RetentionRule = {
  part: 'work',
  describe: ({ replayDays, replayBytes }) =>
    `Data for rollbacks and replays for ${replayDays} days; states of trees up to ${Math.round(replayBytes / 1024 ** 2)} MB`,
  paths: ({ home }) => [home.at('work')],
  plan: async ({ command, limits, since }) => {
    if (since > 0 && hasOlder(command.home.at('work'), since)) return NOTHING;
    const { planCollection } = await import('../../work/plan/collect-work.ts');
    const { items, paths } = planCollection(openWorkContext(command), {
      keepDays: limits.replayDays,
      stateBytes: limits.replayBytes,
    });
    return { items, bytes: measurePaths(paths) };
  },
  collect: async ({ command, limits, since }) => {
    const folder = command.home.at('work');
    // Data of a home from before this time is kept until a cleanup is confirmed; contents do not record their age.
    if (since > 0 && hasOlder(folder, since)) return NOTHING;
    const before = measureFolder(folder);
    const { collectWork } = await import('../../work/plan/collect-work.ts');
    const freed = await collectWork(openWorkContext(command), {
      keepDays: limits.replayDays,
      stateBytes: limits.replayBytes,
    });
    const items = freed.packs + freed.snapshots + freed.manifests + freed.workspaces + freed.replays;
    return { items, bytes: Math.max(0, before - measureFolder(folder)) };
  },
};

function sizeOfOld(context: RetentionContext): { items: number; bytes: number } {
  const { path } = context.command.home;
  const files = listOldRuns(path, timeOf(context)).flatMap((run) => run.files);
  return diskSizeOf([...files, ...listOldJobs(path, timeOf(context))]);
}

function timeOf({ now, since, limits }: RetentionContext): RetiredTime {
  return { since, before: now - limits.runsMs };
}

function hasOlder(folder: string, since: number): boolean {
  return ['objects', 'snapshots', 'manifests'].some(
    (name) => listOldFiles(`${folder}/${name}`, { since: 0, before: since }).length > 0,
  );
}
