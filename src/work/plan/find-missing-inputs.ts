import { dependenciesOf } from '../item/resolve-dependencies.ts';
import { treePath, type WorkItem } from '../item/work-item.ts';
import { absentInputs } from '../run/required-files.ts';
import type { WorkContext } from '../work-context.ts';
import { listInCommit } from '../workspace/landing/list-in-commit.ts';

/** Where the items of a plan start. */
interface Start {
  readonly root: string;
  /** The commit that they start from if they land on a branch. */
  readonly base?: string | undefined;
}

/**
 * Finds the input files that neither exist nor are an output file of an item that runs before. An item with other dependencies may
 * still find them; without any, it will fail.
 */
export async function findMissingInputs(
  { workspace }: Pick<WorkContext, 'workspace'>,
  items: readonly WorkItem[],
  { root, base }: Start,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const absent = [...new Set(items.flatMap((item) => absentInputs(item, root)))];
  const committed = new Set(
    base === undefined || absent.length === 0 ? [] : await listInCommit(workspace, root, base, absent),
  );
  return new Map(
    items.map((item) => {
      const own = absentInputs(item, root).filter((path) => !committed.has(path));
      const expected = own.length === 0 ? [] : outputsBefore(item, items);
      return [item.id, own.filter((path) => !expected.some((output) => overlap(path, output)))];
    }),
  );
}

/** The output files of all items that an item depends on, directly or not. */
function outputsBefore(item: WorkItem, items: readonly WorkItem[]): readonly string[] {
  const before = new Set<string>(dependenciesOf(item, items));
  // A set also iterates over what is added meanwhile.
  for (const id of before)
    for (const other of items)
      if (other.id === id) for (const further of dependenciesOf(other, items)) before.add(further);
  return items.flatMap(({ id, output_files }) => (before.has(id) ? (output_files ?? []).map(treePath) : []));
}

/** An output file may be a folder that contains the input, or a file in a folder that is the input. */
function overlap(input: string, output: string): boolean {
  return input === output || input.startsWith(`${output}/`) || output.startsWith(`${input}/`);
}
