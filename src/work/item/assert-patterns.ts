import { compileLinear } from '../../base/compile-linear.ts';
import { Fault } from '../../base/fault.ts';
import { compilePathGlob } from '../../base/path-glob.ts';
import type { WorkItem } from './work-item.ts';

/** Rejects items whose patterns cannot be used, before anything runs. */
export function assertPatterns(items: readonly WorkItem[]): void {
  for (const { id, forbid = [], paths } of items) {
    for (const [index, source] of forbid.entries())
      if (compileLinear(source) === undefined)
        throw invalid(id, `forbid.${index}`, source, 'Lookaround and backreferences are not supported.');
    for (const name of ['allow', 'deny'] as const)
      for (const [index, glob] of (paths?.[name] ?? []).entries())
        if (compilePathGlob(glob) === undefined)
          throw invalid(id, `paths.${name}.${index}`, glob, 'Use *, **, ?, {a,b} and [ab].');
  }
}

function invalid(id: string, field: string, pattern: string, hint: string): Fault {
  return new Fault(
    'E_VALIDATION',
    `Invalid work item "${id}": ${field} is not a valid pattern: ${pattern}.`,
    {
      hint: `${hint} Nothing was run.`,
      details: { field, id, pattern },
    },
  );
}
