import { checkRecentAudit } from '../../contract/check-recent-audit.ts';
import { fail, pass, type Checker } from '../../contract/health-check.ts';

/** Checks the newest lines of the audit log, its head and the borders of its months; `audit verify` checks the whole chain. */
export const checkAudit: Checker = async ({ home, tool }) => {
  const problem = await checkRecentAudit(home);
  return problem === undefined
    ? pass('audit', 'The recent part of the audit log is unchanged.')
    : fail(
        'audit',
        `The audit log was altered: ${problem}.`,
        `Run "${tool.name} audit verify" to see where.`,
      );
};
