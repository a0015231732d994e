import { resolve } from 'node:path';
import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { SIGNER_ROLES } from '../../work/receipt/keyring.ts';
import type { NewSigner } from '../../work/receipt/trust-signer.ts';
import { word } from '../worker/fleet-parameters.ts';

export default defineWrite({
  path: 'receipt trust',
  summary: 'Trust the public key of a worker, an integrator or an approver',
  description:
    'Adds the key to the keyring of this home. "integrator start" lands only results that a trusted worker signed, and "receipt verify --ledger" accepts only entries of trusted integrators. ' +
    'The key of a host: "receipt export --as key --format raw" on that host. Compare the key id with the host before you confirm',
  params: {
    key: described(v.pipe(v.string(), v.minLength(1)), 'The file with the public key, as PEM'),
    name: described(word(), 'The name of the signer, such as its host'),
    role: described(
      v.optional(v.picklist(SIGNER_ROLES), 'worker'),
      'worker: its results may land; integrator: it may land results; approver: results approved with this key may land; retired: only what it signed in the past is valid',
    ),
  },
  positionals: ['key'],
  output: v.object({
    name: v.string(),
    role: v.picklist(SIGNER_ROLES),
    key_id: v.string(),
    path: v.string(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: [
    'receipt trust build-1.pub.pem --name build-1 --dry-run',
    'receipt trust build-1.pub.pem --name build-1 --confirm <token>',
    'receipt trust land.pub.pem --name land --role integrator --dry-run',
  ],
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN'],
  plan: async (params, context) => {
    const { folder, signer, planTrust } = await openSigner(params, context);
    const known = planTrust(folder, signer);
    const { name, role, key } = signer;
    return {
      changes: [
        {
          action: 'trust',
          resource: 'signer',
          id: name,
          before: known === undefined ? null : { role: known.role, key_id: known.keyId },
          after: { role, key_id: key.keyId },
          version: key.keyId,
        },
      ],
    };
  },
  run: async (params, context) => {
    const { folder, signer, trustSigner } = await openSigner(params, context);
    const path = await trustSigner(folder, signer);
    return { name: signer.name, role: signer.role, key_id: signer.key.keyId, path };
  },
});

async function openSigner(
  { key: file, name, role }: { readonly key: string } & Pick<NewSigner, 'name' | 'role'>,
  { home, system }: CommandContext,
) {
  const { keyringFolder } = await import('../../work/receipt/keyring.ts');
  const { readExported, requirePublicKey } = await import('../../work/receipt/verify-file.ts');
  const { planTrust, trustSigner } = await import('../../work/receipt/trust-signer.ts');
  const key = requirePublicKey(readExported(resolve(system.cwd, file), 'key'));
  return { folder: keyringFolder(home.path), signer: { name, role, key }, planTrust, trustSigner };
}
