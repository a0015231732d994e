import { renameSync, rmSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { syncFolder, writeFileDurably } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { withLock } from '../../system/lock.ts';
import { readKeyring, signerFile, type Signer } from './keyring.ts';
import { exportPem, type VerifyingKey } from './signing-key.ts';

export type NewSigner = Pick<Signer, 'name' | 'role'> & { readonly key: VerifyingKey };

/**
 * Returns the signer of this name, if it is trusted already. A name has one key, and a key one name for each role, so that a list of
 * signers shows who can do what.
 */
export function planTrust(folder: string, { name, role, key }: NewSigner): Signer | undefined {
  const signers = readKeyring(folder);
  const named = signers.find((signer) => signer.name === name);
  if (named !== undefined && named.keyId !== key.keyId)
    throw new Fault('E_CONFLICT', `${name} is trusted with another key: ${named.keyId}.`, {
      hint: `Choose another name, or remove the other key first: deed receipt untrust ${name} --dry-run`,
      details: { field: 'name', name, key_id: named.keyId },
    });
  const other = signers.find(
    (signer) => signer.name !== name && signer.keyId === key.keyId && overlap(signer.role, role),
  );
  if (other === undefined) return named;
  throw new Fault('E_CONFLICT', `This key is trusted as ${other.role} under the name ${other.name}.`, {
    hint: `Use that name: --name ${other.name}`,
    details: { field: 'name', name: other.name, key_id: key.keyId },
  });
}

/** A host can be a worker, an integrator and an approver. */
function overlap(one: Signer['role'], other: Signer['role']): boolean {
  return one === other || one === 'retired' || other === 'retired';
}

/** Adds a signer, or changes its role. */
export async function trustSigner(folder: string, signer: NewSigner): Promise<string> {
  const path = signerFile(folder, signer);
  await changing(folder, () => {
    const known = planTrust(folder, signer);
    if (known === undefined) writeFileDurably(path, exportPem(signer.key.publicKey));
    else if (known.path !== path) renameSync(known.path, path);
    syncFolder(folder);
  });
  return path;
}

/** Removes a signer; what it signed is no longer valid. */
export async function untrustSigner(folder: string, name: string): Promise<Signer> {
  return changing(folder, () => {
    const signer = requireSigner(folder, name);
    rmSync(signer.path);
    syncFolder(folder);
    return signer;
  });
}

export function requireSigner(folder: string, name: string): Signer {
  const signer = readKeyring(folder).find((each) => each.name === name);
  if (signer !== undefined) return signer;
  throw new Fault('E_NOT_FOUND', `No signer is trusted under the name "${name}".`, {
    hint: '"deed receipt signers" lists the trusted signers.',
    details: { field: 'name', name },
  });
}

async function changing<T>(folder: string, change: () => T): Promise<T> {
  ensurePrivateFolder(folder);
  return withLock(`${folder}.lock`, change);
}
