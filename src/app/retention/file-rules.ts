import { join } from 'node:path';
import { openSessionStore } from '../../triage/session/session-store.ts';
import { planPrune } from '../../agent/stored-session/prune-sessions.ts';
import type { CommandContext } from '../../contract/command.ts';
import { settingsOf } from '../../config/settings-of.ts';
import { triageFolder } from '../triage-folder.ts';
import { listOldFiles, namesIn, removeFiles, diskSizeOf, type OldFile } from './old-files.ts';
import { DAY_MS, daysOf, type RetentionContext, type RetentionRule } from './retention-rule.ts';

const REQUEST_MS = 30 * DAY_MS;
const MEGABYTE = 1024 ** 2;
const LOOP_MS = 30 * DAY_MS;

/** A rule for files that are deleted when they were not changed for a time. */
function fileRule(
  part: string,
  describe: RetentionRule['describe'],
  folders: (command: CommandContext) => readonly string[],
  list: (context: RetentionContext) => readonly OldFile[],
): RetentionRule {
  return {
    part,
    describe,
    paths: folders,
    plan: async (context) => diskSizeOf(list(context)),
    collect: async (context) => removeFiles(list(context)),
  };
}

const inHome =
  (name: string) =>
  ({ home }: CommandContext): readonly string[] => [home.at(name)];

const SESSION_RULE = fileRule(
  'sessions',
  ({ sessionsMs, sessionsBytes }) =>
    `Agent sessions for ${daysOf(sessionsMs)}, the newest ${Math.round(sessionsBytes / MEGABYTE)} MB`,
  inHome('sessions'),
  ({ command, since, now, limits }) => {
    const folder = command.home.at('sessions');
    const { sessionsMs, sessionsBytes } = limits;
    return planPrune(folder, namesIn(folder), { since, before: now - sessionsMs, maxBytes: sessionsBytes });
  },
);

/** The name of a mark contains the time at which its token expired; an expired token is rejected anyway. */
const TOKEN_RULE = fileRule(
  'consumed',
  () => 'Marks of used confirm tokens until a day after the token expired',
  inHome('consumed'),
  ({ command, now }) =>
    namesIn(command.home.at('consumed'))
      .filter((name) => Number(name.split('-', 1)[0]) + DAY_MS < now)
      .map((name) => ({ path: command.home.at('consumed', name), bytes: 0 })),
);

const REQUEST_RULE = fileRule(
  'requests',
  () => 'Answers to request ids for 30 days',
  inHome('requests'),
  ({ command, since, now }) =>
    listOldFiles(command.home.at('requests'), { since, before: now - REQUEST_MS }, (name) =>
      name.endsWith('.json'),
    ),
);

const LOOP_RULE = fileRule(
  'loop',
  () => 'Prompts of loops for 30 days',
  inHome('loop'),
  ({ command, since, now }) => listOldFiles(command.home.at('loop'), { since, before: now - LOOP_MS }),
);

const TRIAGE_RULE = fileRule(
  'triage',
  () => 'Triage sessions for triage.retention_days',
  ({ system }) => [triageFolder(system.userHome)],
  ({ command, now, since }) => {
    const retentionMs = Number(settingsOf(command).get('triage.retention_days').value) * DAY_MS;
    const root = triageFolder(command.system.userHome);
    const expired = new Set(openSessionStore(root, () => now, retentionMs).expired());
    return listOldFiles(join(root, 'sessions'), { since, before: now }, (name) => expired.has(name));
  },
);

export const FILE_RULES: readonly RetentionRule[] = [
  SESSION_RULE,
  REQUEST_RULE,
  TOKEN_RULE,
  LOOP_RULE,
  TRIAGE_RULE,
];
