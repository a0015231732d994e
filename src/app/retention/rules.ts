import { settingsOf } from '../../config/settings-of.ts';
import type { CommandContext } from '../../contract/command.ts';
import { measurePaths } from '../../system/measure-folder.ts';
import { ACCOUNTING_RULE } from './accounting-rule.ts';
import { AUDIT_RULE } from './audit-rule.ts';
import { FILE_RULES } from './file-rules.ts';
import { DAY_MS, type RetentionContext, type RetentionLimits, type RetentionRule } from './retention-rule.ts';
import { BACKUP_RULE, STORE_RULE } from './store-rules.ts';
import { REPLAY_RULE, RUN_RULE } from './work-rules.ts';

/** How long each part of a home is kept. */
export const RETENTION_RULES: readonly RetentionRule[] = [
  AUDIT_RULE,
  STORE_RULE,
  BACKUP_RULE,
  RUN_RULE,
  REPLAY_RULE,
  ACCOUNTING_RULE,
  ...FILE_RULES,
];

/** Creates the context of a cleanup at the time of its clock; `since` protects the data from before that time. */
export function retentionContext(
  command: CommandContext,
  { since }: Pick<RetentionContext, 'since'>,
): RetentionContext {
  return { command, limits: limitsOf(command), now: command.system.clock.now(), since };
}

function limitsOf(command: CommandContext): RetentionLimits {
  const settings = settingsOf(command);
  const number = (name: string): number => Number(settings.get(`retention.${name}`).value);
  return {
    auditMonths: number('audit_months'),
    eventsMs: number('events_days') * DAY_MS,
    memoryVersions: number('memory_versions'),
    sessionsMs: number('sessions_days') * DAY_MS,
    sessionsBytes: number('sessions_bytes'),
    accountingMs: number('accounting_days') * DAY_MS,
    runsMs: number('runs_days') * DAY_MS,
    replayDays: number('replay_days'),
    replayBytes: number('replay_bytes'),
  };
}

/** The bytes on disk that a part uses. */
export function measurePart({ paths }: RetentionRule, command: CommandContext): number {
  return measurePaths(paths(command));
}
