import { isoTime } from '../../base/clock.ts';
import { planRetirement, retireMonths, type RetireRequest } from '../../contract/retire-audit.ts';
import { logFiles, logNameOf } from '../../contract/audit-files.ts';
import { AUDIT_FOLDER } from '../../contract/audit-log.ts';
import { measureFolder } from '../../system/measure-folder.ts';
import { NOTHING, type RetentionContext, type RetentionRule } from './retention-rule.ts';

/** Lines contain hashes, which cannot be compressed: about this share of a month is saved. */
const SAVED = 0.7;

/** Months of the audit log are compressed behind a sealed summary; only `audit retire --delete` deletes their lines. */
export const AUDIT_RULE: RetentionRule = {
  part: 'audit',
  describe: ({ auditMonths }) =>
    `The lines of the current month and ${auditMonths} months before it; earlier months as a sealed summary and compressed lines`,
  paths: ({ home }) => [home.at(AUDIT_FOLDER)],
  plan: async (context) => {
    const months = planRetirement(context.command.home, requestOf(context)).filter(isAllowed(context));
    const bytes = months.reduce((sum, month) => sum + month.bytes, 0);
    return { items: months.length, bytes: Math.round(bytes * SAVED) };
  },
  collect: async (context) => {
    const { home } = context.command;
    const [first] = logFiles(home.at(AUDIT_FOLDER));
    // The months of a chain are retired in order, so one that must stay keeps the later ones too.
    if (first === undefined || first < logNameOf(isoTime(context.since).slice(0, 7))) return NOTHING;
    const request = requestOf(context);
    const months = planRetirement(home, request);
    if (months.length === 0 || !months.every(isAllowed(context))) return NOTHING;
    const before = measureFolder(home.at(AUDIT_FOLDER));
    const retired = await retireMonths(home, request, () => undefined);
    return { items: retired.length, bytes: Math.max(0, before - measureFolder(home.at(AUDIT_FOLDER))) };
  },
};

function requestOf({ now, limits }: RetentionContext): RetireRequest {
  const date = new Date(now);
  const before = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - limits.auditMonths, 1));
  return { before: isoTime(before.getTime()).slice(0, 7), deletes: false, now: isoTime(now) };
}

function isAllowed({ since }: RetentionContext): (month: { summary: { first_at: string } }) => boolean {
  return ({ summary }) => Date.parse(summary.first_at) >= since;
}
