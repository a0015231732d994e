/** Who may sign releases, and the Sigstore instance that certifies the signer. */
export interface ReleaseTrust {
  /** The workflow that builds releases, without the tag. */
  readonly workflow: string;
  readonly issuer: string;
  /** A Sigstore TrustedRoot as JSON; by default the root of the public instance, which ships with the verifier. */
  readonly trustedRoot?: unknown;
}

/**
 * Replaced at build time only: a build for tests trusts its own signer. Nothing at run time can change the trusted signer;
 * otherwise the environment of the caller could decide what is installed.
 */
declare const __DEED_RELEASE_TRUST__: ReleaseTrust;

const PRODUCTION: ReleaseTrust = {
  workflow: 'https://github.com/deed-cli/deed/.github/workflows/release.yml',
  issuer: 'https://token.actions.githubusercontent.com',
};

export const RELEASE_TRUST: ReleaseTrust =
  typeof __DEED_RELEASE_TRUST__ === 'undefined' ? PRODUCTION : __DEED_RELEASE_TRUST__;

/** Returns the only identity that may sign a version: the release workflow at the tag of that version. */
export function signerIdentity(trust: ReleaseTrust, version: string): string {
  return `${trust.workflow}@refs/tags/v${version}`;
}

/** Reads the trusted root: the one set at build time, else the one that ships with the verifier. No network access. */
export async function readTrustedRoot(trust: ReleaseTrust): Promise<unknown> {
  if (trust.trustedRoot !== undefined) return trust.trustedRoot;
  const { default: seeds } = await import('@sigstore/tuf/seeds.json', { with: { type: 'json' } });
  const encoded = seeds['https://tuf-repo-cdn.sigstore.dev'].targets['trusted_root.json'];
  return JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
}
