/** Who may sign releases and which Sigstore instance vouches for it. */
export interface ReleaseTrust {
  /** The workflow that builds releases; the tag is added to it. */
  readonly workflow: string;
  readonly issuer: string;
  /** A Sigstore TrustedRoot as JSON; without one, the public instance's that the verifier brings along. */
  readonly trustedRoot?: unknown;
}

/**
 * Replaced when an executable is built, and only then: a build for tests trusts its own signer. Nothing at run time can change
 * whom a build trusts, or the caller's environment would decide what is installed.
 */
declare const __DEED_RELEASE_TRUST__: ReleaseTrust;

const PRODUCTION: ReleaseTrust = {
  workflow: 'https://github.com/deed-cli/deed/.github/workflows/release.yml',
  issuer: 'https://token.actions.githubusercontent.com',
};

export const RELEASE_TRUST: ReleaseTrust =
  typeof __DEED_RELEASE_TRUST__ === 'undefined' ? PRODUCTION : __DEED_RELEASE_TRUST__;

/** Names the one identity that may sign a version: the release workflow at exactly that version's tag. */
export function signerIdentity(trust: ReleaseTrust, version: string): string {
  return `${trust.workflow}@refs/tags/v${version}`;
}

/** Reads the trust root: the one that was built in, else the root that ships with the verifier. No network. */
export async function readTrustedRoot(trust: ReleaseTrust): Promise<unknown> {
  if (trust.trustedRoot !== undefined) return trust.trustedRoot;
  const { default: seeds } = await import('@sigstore/tuf/seeds.json', { with: { type: 'json' } });
  const encoded = seeds['https://tuf-repo-cdn.sigstore.dev'].targets['trusted_root.json'];
  return JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
}
