import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { readAuditKey } from '../../contract/audit-key.ts';
import { AUDIT_FOLDER } from '../../contract/audit-log.ts';
import { assertAuditKey } from '../../contract/check-audit-key.ts';
import { verifyAudit } from '../../contract/verify-audit.ts';
import { defineRead } from '../../contract/command.ts';
import { retiredSchema, showRetired } from './retired-month.ts';

const MAX_PROBLEMS = 20;

export default defineRead({
  path: 'audit verify',
  summary: 'Check that no line of the audit log was changed or removed',
  params: {},
  output: v.object({
    valid: v.literal(true),
    lines: int(),
    retired: described(v.optional(v.array(retiredSchema)), 'The months that were retired, oldest first'),
    torn: described(
      v.optional(v.array(v.object({ file: v.string(), line: int(), problem: v.string() }))),
      'Places where lines were lost because the computer stopped before they were on disk',
    ),
  }),
  examples: ['audit verify'],
  errors: ['E_DAMAGED'],
  run: async (_params, { home }) => {
    // With another key, all lines look altered, but no one altered them.
    const folder = home.at(AUDIT_FOLDER);
    assertAuditKey(folder, readAuditKey(folder));
    const { lines, retired, problems, torn } = await verifyAudit(home);
    if (problems.length === 0)
      return {
        valid: true as const,
        lines,
        ...(retired.length > 0 && { retired: retired.map(showRetired) }),
        ...(torn.length > 0 && { torn: torn.map((place) => ({ ...place })) }),
      };
    const [first] = problems;
    throw new Fault(
      'E_DAMAGED',
      `The audit log was altered: ${first?.file} line ${first?.line}: ${first?.problem}.`,
      {
        hint: 'Keep an unchanged copy of the audit folder, and find out who could write to it.',
        details: {
          lines,
          problem_count: problems.length,
          problems: problems.slice(0, MAX_PROBLEMS).map((problem) => ({ ...problem })),
          ...(problems.length > MAX_PROBLEMS && { truncated: true }),
        },
      },
    );
  },
});
