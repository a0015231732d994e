import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { MAX_KEY_BYTES, parsePublicKey } from './public-key.ts';
import type { VerifyingKey } from './signing-key.ts';

/**
 * What a signer is trusted for. `worker`: its results may land. `integrator`: it may land results. `approver`: people approve
 * results there. `retired`: what it signed in the ledger stays valid, and nothing new is accepted from it.
 */
export const SIGNER_ROLES = ['worker', 'integrator', 'approver', 'retired'] as const;
export type SignerRole = (typeof SIGNER_ROLES)[number];

/** A key that the owner of this home trusts. */
export interface Signer extends VerifyingKey {
  readonly name: string;
  readonly role: SignerRole;
  readonly path: string;
}

/** The parts of the names of files: `build-1.worker.pem`. */
const FILE = /^([a-z0-9][a-z0-9_-]{0,39})\.(worker|integrator|approver|retired)\.pem$/u;
/** Others who can write here could trust themselves. */
const WRITABLE_BY_OTHERS = 0o022;

/** The keyring of a home: a folder with one PEM file for each signer. */
export function keyringFolder(home: string): string {
  return join(home, 'keys', 'trusted');
}

export function signerFile(folder: string, { name, role }: Pick<Signer, 'name' | 'role'>): string {
  return join(folder, `${name}.${role}.pem`);
}

/** Reads a keyring, by name; a folder that does not exist is an empty one. A file that is not a key of a signer is E_DAMAGED. */
export function readKeyring(folder: string): readonly Signer[] {
  if (!existsSync(folder)) return [];
  assertClosed(folder);
  const names = listFolder(folder).filter((name) => name.endsWith('.pem'));
  return names.sort().map((file) => {
    const path = join(folder, file);
    const [, name, role] = FILE.exec(file) ?? [];
    if (name === undefined)
      throw damaged(path, `its name is not <name>.${SIGNER_ROLES.join('|')}.pem`, hintFor(path));
    assertClosed(path);
    const key = parsePublicKey(readFileIfPresent(path, MAX_KEY_BYTES) ?? '');
    if (key === undefined) throw damaged(path, 'it is not an Ed25519 public key', hintFor(path));
    return { ...key, name, role: role as SignerRole, path };
  });
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw faultFromSystem(error, 'read the keyring', folder);
  }
}

function assertClosed(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) throw isLink(path);
  if ((stats.mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new Fault('E_FORBIDDEN', `Other accounts can write to ${path}, and so decide who is trusted.`, {
    hint: `Restrict it: chmod go-w ${path}`,
    details: { path },
  });
}

/** The rights of a link say nothing about who can replace what it points to. */
function isLink(path: string): Fault {
  const target = readlinkSync(path);
  return new Fault('E_FORBIDDEN', `${path} is a symbolic link to ${target}; a keyring has no links.`, {
    hint: `Replace the link with what it points to: cp -rL ${path} ${path}.copy && rm ${path} && mv ${path}.copy ${path}`,
    details: { path, target },
  });
}

function hintFor(path: string): string {
  return `Remove ${path}, then trust the key again: deed receipt trust <public key> --name <name>`;
}

/** Whose signatures count, and for what. */
export interface Trust {
  readonly workers: readonly VerifyingKey[];
  readonly integrators: readonly VerifyingKey[];
  /** Integrators too: they decide what lands. Workers do not approve results, because they run the agents that make them. */
  readonly approvers: readonly VerifyingKey[];
  /** Valid only for entries that the ledger has already. */
  readonly retired: readonly VerifyingKey[];
}

/** Reads whom a keyring trusts. An integrator trusts its own keys too, to continue a ledger that it wrote. */
export function readTrust(folder: string, own: readonly VerifyingKey[] = []): Trust {
  const signers = readKeyring(folder);
  const having = (role: SignerRole): readonly Signer[] => signers.filter((signer) => signer.role === role);
  const integrators = [...having('integrator'), ...own];
  return {
    workers: having('worker'),
    integrators,
    approvers: [...having('approver'), ...integrators],
    retired: having('retired'),
  };
}
