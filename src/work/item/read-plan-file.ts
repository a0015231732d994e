import { Fault } from '../../base/fault.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { parsePlan } from './parse-plan.ts';
import { resolveDependencies } from './resolve-dependencies.ts';
import type { WorkItem } from './work-item.ts';

/** Reads a plan file and validates it, including its dependencies. */
export async function readPlanFile(path: string): Promise<readonly WorkItem[]> {
  const text = readFileIfPresent(path, WORK_LIMITS.planBytes);
  if (text === undefined) {
    throw new Fault('E_NOT_FOUND', `Plan not found: ${path}.`, {
      hint: 'Pass a file with one work item or an array of them, as JSON or YAML.',
      details: { field: 'file', path },
    });
  }
  const items = await parsePlan(text);
  resolveDependencies(items);
  return items;
}
