import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Plan } from '../../contract/plan.ts';
import type { CommandContext } from '../../contract/command.ts';
import { locateStore, type StoreChoice } from '../../app/locate-store.ts';

/** Plans to write the store into a file that does not exist yet. */
export function planNewFile(
  action: string,
  params: StoreChoice & { readonly to: string },
  context: CommandContext,
): Plan {
  const { path: source } = locateStore(params, context);
  const path = resolve(context.system.cwd, params.to);
  if (!existsSync(source)) {
    throw new Fault('E_NOT_FOUND', `There is no database ${source} yet.`, {
      hint: 'Anything that is written creates it.',
      details: { path: source },
    });
  }
  if (existsSync(path)) {
    throw new Fault('E_CONFLICT', `${path} exists already.`, {
      hint: 'Name a new file.',
      details: { field: 'to', path },
    });
  }
  return { changes: [{ action, resource: 'file', id: path, after: { source } }] };
}
