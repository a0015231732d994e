import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { WorkItem } from '../../work/item/work-item.ts';

/** Reads a plan as a caller names it. */
export async function readPlan(file: string, { system }: CommandContext): Promise<readonly WorkItem[]> {
  const { readPlanFile } = await import('../../work/item/read-plan-file.ts');
  return readPlanFile(resolve(system.cwd, file));
}

/** One of several ways to say what is meant, and no second one. */
export function exactlyOne(names: readonly string[], values: readonly unknown[]): void {
  const given = values.filter((value) => value !== undefined).length;
  if (given === 1) return;
  const flags = names.map((name) => `--${name}`).join(' or ');
  throw new Fault('E_VALIDATION', given === 0 ? `Give ${flags}.` : `Give only one of ${flags}.`, {
    details: { field: names[0] ?? '', allowed: [...names] },
  });
}
