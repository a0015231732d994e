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
  const given = names.filter((_name, index) => values[index] !== undefined);
  if (given.length === 1) return;
  const problem =
    given.length === 0
      ? `None of ${listFlags(names)} is given.`
      : `${listFlags(given)} cannot be used together.`;
  throw new Fault('E_VALIDATION', problem, {
    hint: `Pass exactly one of ${listFlags(names)}.`,
    details: { field: names[0] ?? '', allowed: [...names] },
  });
}

function listFlags(names: readonly string[]): string {
  const flags = names.map((name) => `--${name}`);
  return `${flags.slice(0, -1).join(', ')} and ${flags.at(-1)}`;
}
