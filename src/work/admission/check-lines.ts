import { alignLines } from '../../base/align-lines.ts';
import { compileLinear } from '../../base/compile-linear.ts';
import { excerpt, printable } from '../../base/text.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { Admission } from './check-admission.ts';

/** The lines of a changed file; undefined for a file that is too large to read, no lines for a file that is not text. */
export interface LineChange {
  readonly path: string;
  readonly before: readonly string[] | undefined;
  readonly after: readonly string[] | undefined;
}

/** Applies the rules of an item about changed lines. What cannot be checked is denied. */
export function checkLines(
  { max_lines, forbid }: Pick<WorkItem, 'max_lines' | 'forbid'>,
  changes: readonly LineChange[],
): Admission {
  const unread = changes.find(({ before, after }) => before === undefined || after === undefined);
  if (unread !== undefined)
    return { ok: false, reason: `${unread.path} is too large to check its lines`, denial: 'delta_too_large' };
  const compared = changes.map(({ path, before = [], after = [] }) => {
    const aligned = alignLines(before, after);
    const added = after.flatMap((text, index) => (aligned[index] === -1 ? [{ line: index + 1, text }] : []));
    return { path, added, deleted: before.length - (after.length - added.length) };
  });
  const count = compared.reduce((sum, { added, deleted }) => sum + added.length + deleted, 0);
  if (max_lines !== undefined && count > max_lines)
    return { ok: false, reason: `Exceeded max lines: ${count} > ${max_lines}`, denial: 'delta_too_large' };
  for (const source of forbid ?? []) {
    const pattern = compileLinear(source);
    for (const { path, added } of compared) {
      const found = added.find(({ text }) => pattern === undefined || pattern.test(text));
      if (found === undefined) continue;
      const line = excerpt(printable(found.text).trim());
      const reason = `Added a forbidden line, ${path}:${found.line} matches ${source}: ${line}`;
      return { ok: false, reason, denial: 'invariant_violated' };
    }
  }
  return { ok: true };
}
