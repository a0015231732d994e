import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { mayBeStore } from '../../continuity/database/open-store.ts';
import type { Plan } from '../../contract/plan.ts';
import type { CommandContext } from '../../contract/command.ts';
import { locateStore, type StoreChoice } from '../../app/locate-store.ts';

/** Plans to write the store to a new file. */
export function planNewFile(
  action: string,
  params: StoreChoice & { readonly to: string },
  context: CommandContext,
): Plan {
  const { path: source } = locateStore(params, context);
  const path = resolve(context.system.cwd, params.to);
  if (!mayBeStore(source)) {
    throw new Fault('E_NOT_FOUND', `The database ${source} does not exist.`, {
      hint: 'The first write creates it.',
      details: { path: source },
    });
  }
  if (existsSync(path)) {
    throw new Fault('E_CONFLICT', `${path} already exists.`, {
      hint: 'Pass a new file.',
      details: { field: 'to', path },
    });
  }
  return { changes: [{ action, resource: 'file', id: path, after: { source } }] };
}
