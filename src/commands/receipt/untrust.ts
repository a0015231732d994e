import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { defineWrite } from '../../contract/command.ts';
import { keyringFolder, SIGNER_ROLES } from '../../work/receipt/keyring.ts';
import { word } from '../worker/fleet-parameters.ts';

export default defineWrite({
  path: 'receipt untrust',
  summary: 'Remove the key of a signer from the keyring',
  description:
    'Everything that the signer has signed, now or in the past, is no longer valid here. To accept nothing new and keep the ledger valid, use "receipt trust --role retired" instead',
  params: { name: described(word(), 'The name of the signer, as shown by "receipt signers"') },
  positionals: ['name'],
  output: v.object({
    name: v.string(),
    role: v.picklist(SIGNER_ROLES),
    key_id: v.string(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['receipt untrust build-1 --dry-run', 'receipt untrust build-1 --confirm <token>'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED', 'E_FORBIDDEN'],
  plan: async ({ name }, { home }) => {
    const { requireSigner } = await import('../../work/receipt/trust-signer.ts');
    const { role, keyId } = requireSigner(keyringFolder(home.path), name);
    return {
      changes: [
        {
          action: 'untrust',
          resource: 'signer',
          id: name,
          before: { role, key_id: keyId },
          after: null,
          version: keyId,
        },
      ],
    };
  },
  run: async ({ name }, { home }) => {
    const { untrustSigner } = await import('../../work/receipt/trust-signer.ts');
    const { role, keyId } = await untrustSigner(keyringFolder(home.path), name);
    return { name, role, key_id: keyId };
  },
});
