import * as v from 'valibot';
import { int } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { keyringFolder, readKeyring, SIGNER_ROLES } from '../../work/receipt/keyring.ts';

export default defineRead({
  path: 'receipt signers',
  summary: 'List the workers, integrators and approvers in the keyring',
  params: {},
  output: v.object({
    items: v.array(
      v.object({ name: v.string(), role: v.picklist(SIGNER_ROLES), key_id: v.string(), path: v.string() }),
    ),
    count: int(),
  }),
  columns: ['name', 'role', 'key_id'],
  examples: ['receipt signers', 'receipt signers --fields items.name,items.key_id'],
  errors: ['E_DAMAGED', 'E_FORBIDDEN'],
  run: async (_params, { home }) => {
    const items = readKeyring(keyringFolder(home.path)).map(({ name, role, keyId, path }) => ({
      name,
      role,
      key_id: keyId,
      path,
    }));
    return { items, count: items.length };
  },
});
