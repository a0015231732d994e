import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/context.ts';
import type { WorkItem } from '../../work/item/work-item.ts';

/** Reads a plan as a caller names it. */
export async function readPlan(file: string, { world }: CommandContext): Promise<readonly WorkItem[]> {
  const { readPlanFile } = await import('../../work/item/read-plan-file.ts');
  return readPlanFile(resolve(world.cwd, file));
}

/** One of two ways to say what is meant, and not both. */
export function exactlyOne(names: readonly [string, string], values: readonly [unknown, unknown]): void {
  const given = values.filter((value) => value !== undefined).length;
  if (given === 1) return;
  const flags = names.map((name) => `--${name}`).join(' or ');
  throw new Fault('E_VALIDATION', given === 0 ? `Give ${flags}.` : `Give ${flags}, not both.`, {
    details: { field: names[0], allowed: [...names] },
  });
}
