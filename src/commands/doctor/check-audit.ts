import { isAuditTailValid } from '../../contract/read-audit.ts';
import { fail, pass, type Checker } from '../../contract/health-check.ts';

/** The end of the audit log agrees with its head; the whole chain is `audit verify`'s work. */
export const checkAudit: Checker = async ({ home, tool }) =>
  (await isAuditTailValid(home))
    ? pass('audit', 'The audit log ends where its head says.')
    : fail(
        'audit',
        'Lines are missing at the end of the audit log.',
        `Run "${tool.name} audit verify" to see where.`,
      );
