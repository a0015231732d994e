import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, Verifier, type TrustMaterial } from '@sigstore/verify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deed, type Run } from '../fixtures/run-deed.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** RFC 8785 again, independent of the implementation. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name as never])}`).join(',')}}`;
}

let bench: WorkBench;
/** Another machine: a folder with a clone and the exported files, and no home. */
let elsewhere: string;
let result: { run_id: string; receipt_id: string; commit: string; output_hash: string; receipt_path: string };

const place = (name: string): string => join(elsewhere, name);
const verifyElsewhere = (...argv: string[]): Run['envelope'] =>
  deed(['receipt', 'verify', ...argv], { home: place('no-home'), cwd: elsewhere }).envelope;

beforeAll(() => {
  bench = createBench();
  bench.git('config', 'user.name', 'Ada');
  bench.git('config', 'user.email', 'ada@example.org');
  const report = `echo '{"id":"t","name":"n","input":{"9":"a","10":"b"},"status":"success"}' >> "$DEED_EVENTS"`;
  const script = `${report}; echo two >> a.txt; mkdir d; echo new > d/n.txt; ln -s a.txt link; rm b.txt`;
  const run = bench.work([item('one', script, { test_command: 'true' })], '--branch', 'deed/x');
  [result] = run.envelope.data.results;
  elsewhere = join(dirname(bench.tree), 'elsewhere');
  mkdirSync(elsewhere);
  for (const as of ['receipt', 'slsa', 'bundle', 'key'])
    writeFileSync(
      place(as),
      bench.deed(['receipt', 'export', result.run_id, '--as', as, '--format', 'raw']).stdout,
    );
  execFileSync('git', ['clone', '-q', '-b', 'deed/x', bench.tree, place('clone')]);
});
afterAll(() => bench.dispose());

describe('an exported receipt', () => {
  it('is verified on another machine, with the files of the branch', () => {
    expect(verifyElsewhere('--file', 'receipt', '--key', 'key', '--root', 'clone').data).toEqual({
      checked: 1,
      valid: true,
      run_id: result.run_id,
      receipt_id: result.receipt_id,
      status: 'success',
      predicate_type: 'https://github.com/deed-cli/deed/receipt/v1',
      key_id: sha256(createPublicKey(readFileSync(place('key'))).export({ type: 'spki', format: 'der' })),
      output_hash: result.output_hash,
      branch: 'deed/x',
      commit: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: place('clone'), encoding: 'utf8' }).trim(),
      files: 3,
    });
    expect(existsSync(join(place('no-home'), 'keys'))).toBe(false);
  });

  it('is verified as SLSA provenance and as a bundle too', () => {
    for (const file of ['slsa', 'bundle'])
      expect(verifyElsewhere('--file', file, '--key', 'key').data).toMatchObject({
        valid: true,
        run_id: result.run_id,
      });
  });

  it('is rejected if a byte, the key or a file is another one', () => {
    const problem = (...argv: string[]): unknown => {
      const { error } = verifyElsewhere(...argv);
      return [error?.code, error?.message];
    };
    const envelope = JSON.parse(readFileSync(place('receipt'), 'utf8')) as {
      payload: string;
      signatures: { sig: string }[];
    };
    const payload = Buffer.from(envelope.payload, 'base64').toString('utf8');
    const changed = {
      ...envelope,
      payload: Buffer.from(payload.replace('"success"', '"failure"')).toString('base64'),
    };
    writeFileSync(place('changed'), JSON.stringify(changed));
    const { publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(place('other-key'), publicKey.export({ type: 'spki', format: 'pem' }));
    writeFileSync(
      place('rsa-key'),
      generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' }),
    );
    writeFileSync(place('text'), 'no receipt');
    const cannot = 'The receipt cannot be verified: ';
    expect(problem('--file', 'changed', '--key', 'key')).toEqual([
      'E_DAMAGED',
      `${cannot}its signature is invalid.`,
    ]);
    expect(problem('--file', 'receipt', '--key', 'other-key')).toEqual([
      'E_DAMAGED',
      expect.stringMatching(/it was signed with the key [0-9a-f]{64}, not with [0-9a-f]{64}\.$/u),
    ]);
    expect(problem('--file', 'text', '--key', 'key')).toEqual(['E_DAMAGED', `${cannot}it is not JSON.`]);
    expect(problem('--file', 'receipt', '--key', 'rsa-key')).toEqual([
      'E_VALIDATION',
      'The key is not an Ed25519 public key in PEM.',
    ]);
    writeFileSync(join(place('clone'), 'd/n.txt'), 'other\n');
    expect(problem('--file', 'receipt', '--key', 'key', '--root', 'clone')).toEqual([
      'E_DAMAGED',
      `${cannot}d/n.txt in ${place('clone')} differs.`,
    ]);
  });

  it.each([
    ['a file without a key', ['--file', 'receipt'], 'E_VALIDATION'],
    ['a key without a file', ['--key', 'key'], 'E_VALIDATION'],
    [
      'a file and an id',
      ['run_000000000000000000000000', '--file', 'receipt', '--key', 'key'],
      'E_VALIDATION',
    ],
    ['a file that does not exist', ['--file', 'nope', '--key', 'key'], 'E_NOT_FOUND'],
  ])('needs both: %s is rejected', (_, argv, code) => {
    expect(verifyElsewhere(...argv).error?.code).toBe(code);
  });

  it('passes the verification of Sigstore as a bundle', () => {
    const bundle = bundleFromJSON(JSON.parse(readFileSync(place('bundle'), 'utf8')));
    const publicKey = createPublicKey(readFileSync(place('key')));
    const trust: TrustMaterial = {
      certificateAuthorities: [],
      timestampAuthorities: [],
      tlogs: [],
      ctlogs: [],
      publicKey: () => ({ publicKey, validFor: () => true }),
    };
    const verifier = new Verifier(trust, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 });
    expect(verifier.verify(toSignedEntity(bundle)).key.asymmetricKeyType).toBe('ed25519');
    const other = {
      ...trust,
      publicKey: () => ({ publicKey: generateKeyPairSync('ed25519').publicKey, validFor: () => true }),
    };
    expect(() =>
      new Verifier(other, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 }).verify(
        toSignedEntity(bundle),
      ),
    ).toThrow('signature verification failed');
  });

  it('is SLSA provenance in the names of the specification', () => {
    const envelope = JSON.parse(readFileSync(place('slsa'), 'utf8')) as {
      payloadType: string;
      payload: string;
      signatures: { sig: string }[];
    };
    const body = Buffer.from(envelope.payload, 'base64');
    const signed = Buffer.concat([
      Buffer.from(`DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${body.length} `),
      body,
    ]);
    const signature = Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64');
    expect(verify(null, signed, createPublicKey(readFileSync(place('key'))), signature)).toBe(true);
    const statement = JSON.parse(body.toString('utf8'));
    expect(body.toString('utf8')).toBe(canonical(statement));
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
      subject: [
        { name: 'RECEIPT.json', digest: { sha256: sha256(readFileSync(result.receipt_path)) } },
        { name: 'deed/x', digest: { gitCommit: result.commit } },
        { name: 'a.txt', digest: { sha256: sha256('one\ntwo\n') } },
        { name: 'd/n.txt', digest: { sha256: sha256('new\n') } },
        { name: 'link', digest: { sha256: sha256('a.txt') } },
      ],
      predicate: {
        buildDefinition: {
          buildType: 'https://github.com/deed-cli/deed/work-run/v1',
          externalParameters: { workItem: 'one' },
          resolvedDependencies: expect.any(Array),
        },
        runDetails: {
          builder: { id: 'https://github.com/deed-cli/deed/work' },
          metadata: { invocationId: result.run_id, finishedOn: expect.any(String) },
        },
      },
    });
  });

  it('has hashes that anyone can compute by the documented formulas', () => {
    const folder = dirname(result.receipt_path);
    const read = (name: string): Record<string, unknown> =>
      JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const { receipt_hash, ...receipt } = read('RECEIPT.json') as Record<string, unknown> & {
      proof_artifacts: { path: string; sha256: string }[];
      artifacts: { path: string; sha256?: string }[];
    };
    expect(canonical(receipt.tool_trace)).toContain('"input":{"10":"b","9":"a"}');
    expect(receipt_hash).toBe(sha256(canonical(receipt)));
    expect(receipt.work_item_hash).toBe(sha256(canonical(read('item.json').item)));
    const { runHash, ...capsule } = read('capsule.json');
    expect([runHash, receipt.run_hash]).toEqual([sha256(canonical(capsule)), sha256(canonical(capsule))]);
    for (const proof of receipt.proof_artifacts)
      expect([proof.path, sha256(readFileSync(join(folder, proof.path)))]).toEqual([
        proof.path,
        proof.sha256,
      ]);
    expect(receipt.previous_receipt_hash).toBe('0'.repeat(64));
  });
});
