import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { WorkItem } from '../../work/item/work-item.ts';

/** Reads a plan file relative to the current folder. */
export async function readPlan(file: string, { system }: CommandContext): Promise<readonly WorkItem[]> {
  const { readPlanFile } = await import('../../work/item/read-plan-file.ts');
  return readPlanFile(resolve(system.cwd, file));
}

/** Checks that exactly one of several parameters is set. */
export function exactlyOne(names: readonly string[], values: readonly unknown[]): void {
  const count = values.filter((value) => value !== undefined).length;
  if (count === 1) return;
  const flags = names.map((name) => `--${name}`).join(' or ');
  throw new Fault('E_VALIDATION', count === 0 ? `Pass ${flags}.` : `Pass only one of ${flags}.`, {
    hint: `Pass exactly one of ${flags}.`,
    details: { field: names[0] ?? '', allowed: [...names] },
  });
}
