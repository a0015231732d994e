import { beforeAll, expect, test } from 'vitest';
import { createSigstoreAuthority, type SigstoreAuthority } from '../../test/fixtures/sigstore-authority.ts';
import { readTrustedRoot, RELEASE_TRUST, signerIdentity } from './release-trust.ts';
import { verifySignature } from './verify-signature.ts';

const CONTENT = Buffer.from(`${'a'.repeat(64)}  deed-1.2.0-linux-x64.tar.gz\n`);
const WORKFLOW = 'https://github.com/deed-cli/deed/.github/workflows/release.yml';

let authority: SigstoreAuthority;
let bundle = '';
beforeAll(async () => {
  authority = await createSigstoreAuthority();
  bundle = await authority.sign(CONTENT, '1.2.0');
});

interface ParsedBundle {
  mediaType: string;
  messageSignature?: { messageDigest: unknown; signature: string };
  dsseEnvelope?: unknown;
  verificationMaterial: { certificate?: { rawBytes: string }; publicKey?: unknown; tlogEntries: unknown[] };
}
const changed = (change: (value: ParsedBundle) => void): string => {
  const value = JSON.parse(bundle) as ParsedBundle;
  change(value);
  return JSON.stringify(value);
};
const verify = (text: string, content = CONTENT, version = '1.2.0'): ReturnType<typeof verifySignature> =>
  verifySignature(content, text, version, authority.trust);

test('a release signed by the workflow at its tag verifies', async () => {
  expect(await verify(bundle)).toEqual({
    identity: `${WORKFLOW}@refs/tags/v1.2.0`,
    issuer: 'https://token.actions.githubusercontent.com',
  });
});

test('a changed file is rejected', async () => {
  await expect(verify(bundle, Buffer.from('other'))).rejects.toMatchObject({ code: 'E_INTEGRITY' });
});

test('a signature made for another tag is rejected', async () => {
  await expect(verify(bundle, CONTENT, '1.2.1')).rejects.toMatchObject({
    code: 'E_INTEGRITY',
    details: {
      signer_identity: `${WORKFLOW}@refs/tags/v1.2.0`,
      expected_identity: `${WORKFLOW}@refs/tags/v1.2.1`,
    },
  });
});

test('the identity is compared exactly: prefixes, suffixes and similar names are rejected', async () => {
  const right = authority.identityOf('1.2.0');
  const identities = [
    `${right}0`,
    `${right}-rc.1`,
    `https://evil.example/${right}`,
    right.replace('1.2.0', '1x2x0'),
    `${WORKFLOW}@refs/heads/v1.2.0`,
  ];
  for (const identity of identities) {
    await expect(verify(await authority.sign(CONTENT, '1.2.0', { identity }))).rejects.toMatchObject({
      code: 'E_INTEGRITY',
    });
  }
});

test('the right identity from another issuer is rejected', async () => {
  const text = await authority.sign(CONTENT, '1.2.0', { issuer: 'https://accounts.example.com' });
  await expect(verify(text)).rejects.toMatchObject({
    code: 'E_INTEGRITY',
    details: { signer_issuer: 'https://accounts.example.com' },
  });
});

test('a bundle of another authority is rejected, and a bundle of the test authority by the production root', async () => {
  const other = await createSigstoreAuthority();
  await expect(verify(await other.sign(CONTENT, '1.2.0'))).rejects.toMatchObject({ code: 'E_INTEGRITY' });
  await expect(verifySignature(CONTENT, bundle, '1.2.0', RELEASE_TRUST)).rejects.toMatchObject({
    code: 'E_INTEGRITY',
  });
});

test('only the v0.3 bundle format with a certificate, a message signature and a log entry is accepted', async () => {
  const forms = [
    'not json',
    '{}',
    'null',
    changed((value) => (value.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.2')),
    changed((value) => (value.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.1')),
    changed((value) => (value.verificationMaterial.tlogEntries = [])),
    changed((value) => {
      delete value.verificationMaterial.certificate;
      value.verificationMaterial.publicKey = { hint: '' };
    }),
    changed((value) => {
      delete value.messageSignature;
      value.dsseEnvelope = {
        payload: CONTENT.toString('base64'),
        payloadType: 'text/plain',
        signatures: [{ sig: 'AAAA', keyid: '' }],
      };
    }),
    changed((value) => {
      if (value.messageSignature) value.messageSignature.signature = Buffer.alloc(70, 1).toString('base64');
    }),
  ];
  for (const [index, form] of forms.entries()) {
    await expect(verify(form), `form ${index}`).rejects.toMatchObject({ code: 'E_INTEGRITY' });
  }
});

test('a certificate of another signature is rejected', async () => {
  const other = JSON.parse(await authority.sign(Buffer.from('other'), '1.2.0')) as ParsedBundle;
  const text = changed(
    (value) => (value.verificationMaterial.certificate = other.verificationMaterial.certificate),
  );
  await expect(verify(text)).rejects.toMatchObject({ code: 'E_INTEGRITY' });
});

test('the built-in trust is the public Sigstore instance and the tagged release workflow', async () => {
  expect(signerIdentity(RELEASE_TRUST, '1.2.0')).toBe(`${WORKFLOW}@refs/tags/v1.2.0`);
  expect(RELEASE_TRUST).toEqual({
    workflow: WORKFLOW,
    issuer: 'https://token.actions.githubusercontent.com',
  });
  expect(await readTrustedRoot(RELEASE_TRUST)).toMatchObject({
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    certificateAuthorities: expect.arrayContaining([
      expect.objectContaining({ uri: 'https://fulcio.sigstore.dev' }),
    ]),
  });
});
