import { isAuditTailValid } from '../../contract/read-audit.ts';
import { fail, pass, type Checker } from '../../contract/health-check.ts';

/** The end of the audit log matches its head; `audit verify` checks the whole chain. */
export const checkAudit: Checker = async ({ home, tool }) =>
  (await isAuditTailValid(home))
    ? pass('audit', 'The end of the audit log matches its head.')
    : fail(
        'audit',
        'Lines are missing at the end of the audit log.',
        `Run "${tool.name} audit verify" to see where.`,
      );
