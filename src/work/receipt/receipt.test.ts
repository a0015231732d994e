import { createHash, createPublicKey, verify } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contextAt, draft } from '../../../test/fixtures/finished-run.ts';
import { LONG } from '../../../test/fixtures/start-node.ts';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { blake3Hex } from '../../system/blake3.ts';
import { finishRun } from '../run/finish-run.ts';
import type { RunDraft } from '../run/run-draft.ts';
import { runFolder } from '../run/run-folder.ts';
import { FIRST, type Receipt } from './receipt.ts';
import { repairReceipts } from './repair-receipts.ts';
import { openSigningKey } from './signing-key.ts';
import { verifyReceipts } from './verify-receipts.ts';

/** The long version flips more bytes and ends more runs at the same time. */
const FLIPS = LONG ? 100 : 16;
const PARALLEL = LONG ? 20 : 6;

const read = (home: string, runId: string, name: string): string =>
  readFileSync(join(runFolder(home, runId), name), 'utf8');

describe('a receipt', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let home: string;
  beforeEach(() => {
    folder = temporaryFolder('receipt');
    home = folder.path;
    return () => folder.dispose();
  });

  it('is issued for every outcome and chained to the previous one', async () => {
    const drafts: RunDraft[] = [
      draft(),
      draft({ status: 'failure', error: 'Tests failed', code: 'E_TESTS_FAILED' }),
      draft({ status: 'timeout', error: 'Timed out after 5 ms', code: 'E_TIMEOUT' }),
      draft({ status: 'denied', denial: { reason: 'files_exceeded', message: 'Exceeded max files: 2 > 1' } }),
    ];
    for (const end of drafts) await finishRun(contextAt(home), end);
    const receipts = drafts.map(({ runId }) => JSON.parse(read(home, runId, 'RECEIPT.json')) as Receipt);
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'failure', 'timeout', 'denied']);
    expect(receipts.map(({ previous_receipt_hash }) => previous_receipt_hash)).toEqual([
      FIRST,
      ...receipts.slice(0, -1).map(({ receipt_hash }) => receipt_hash),
    ]);
    expect(verifyReceipts(home)).toEqual({ checked: 4, problems: [] });
  });

  it('lists no files and has the old hash unless the run was promoted', async () => {
    const end = draft({ status: 'failure', error: 'x' });
    const result = await finishRun(contextAt(home), end);
    expect(result).toMatchObject({ created_files: [], output_hash: 'b'.repeat(64), artifact_hashes: {} });
    expect(result.proof_script).toBeUndefined();
  });

  it('is unchanged when a run is finished twice', async () => {
    const end = draft();
    const first = await finishRun(contextAt(home), end);
    const receipt = read(home, end.runId, 'RECEIPT.json');
    expect(await finishRun(contextAt(home), { ...end, receiptId: 'other' })).toEqual(first);
    expect(read(home, end.runId, 'RECEIPT.json')).toBe(receipt);
  });

  it(`keeps one chain when ${PARALLEL} runs end at the same time`, async () => {
    await Promise.all(Array.from({ length: PARALLEL }, () => finishRun(contextAt(home), draft())));
    expect(verifyReceipts(home)).toEqual({ checked: PARALLEL, problems: [] });
  });

  it('ignores temporary files of a killed process', async () => {
    const end = draft();
    mkdirSync(runFolder(home, end.runId), { recursive: true });
    writeFileSync(join(runFolder(home, end.runId), 'RECEIPT.json.1-2-3.tmp'), '{');
    await finishRun(contextAt(home), end);
    expect(verifyReceipts(home)).toEqual({ checked: 1, problems: [] });
  });

  it('is appended after a partial line that a crash left in the chain', async () => {
    await finishRun(contextAt(home), draft());
    appendFileSync(join(home, 'runs/chain.jsonl'), '{"half":');
    await finishRun(contextAt(home), draft());
    expect(verifyReceipts(home)).toEqual({ checked: 2, problems: [] });
  });

  it('is signed with a key that only its owner can read, and parallel calls create one key', async () => {
    const keys = await Promise.all(
      Array.from({ length: 5 }, async () => openSigningKey(join(home, 'keys')).keyId),
    );
    expect(new Set(keys).size).toBe(1);
    expect(statSync(join(home, 'keys/receipts.key.pem')).mode & 0o777).toBe(0o600);
  });

  it('is serialized by RFC 8785, even if an agent used integers as names or broken text', async () => {
    const input = { 9: 'nine', 10: 'ten', b: '\uD800', a: 1 };
    const end = draft({
      toolTrace: [{ id: 't', name: 'x', input, startTime: '2026-01-01T00:00:00.000Z', status: 'success' }],
    });
    await finishRun(contextAt(home), end);
    const receipt = JSON.parse(read(home, end.runId, 'RECEIPT.json')) as Receipt;
    expect(receipt.canonicalization).toBe('RFC8785');
    const envelope = JSON.parse(read(home, end.runId, 'receipt.dsse.json')) as { payload: string };
    const payload = Buffer.from(envelope.payload, 'base64').toString('utf8');
    expect(payload).toContain('"input":{"10":"ten","9":"nine","a":1,"b":"\uFFFD"}');
    expect(verifyReceipts(home)).toEqual({ checked: 1, problems: [] });
  });

  it('cannot be verified with an invalid key', async () => {
    await finishRun(contextAt(home), draft());
    writeFileSync(join(home, 'keys/receipts.pub.pem'), 'not a key');
    expect(() => verifyReceipts(home)).toThrow('is not an Ed25519 key');
  });

  it('passes a verification that uses only the DSSE and in-toto specifications', async () => {
    const end = draft();
    await finishRun(contextAt(home), end);
    const envelope = JSON.parse(read(home, end.runId, 'receipt.dsse.json')) as {
      payload: string;
      payloadType: string;
      signatures: { keyid: string; sig: string }[];
    };
    expect(envelope.payloadType).toBe('application/vnd.in-toto+json');
    const body = Buffer.from(envelope.payload, 'base64');
    const type = envelope.payloadType;
    const signed = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${body.length} `), body]);
    const pem = readFileSync(join(home, 'keys/receipts.pub.pem'));
    const key = createPublicKey(pem);
    expect(verify(null, signed, key, Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'))).toBe(true);
    expect(verify(null, body, key, Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'))).toBe(false);
    const der = key.export({ type: 'spki', format: 'der' });
    expect(envelope.signatures[0]?.keyid).toBe(createHash('sha256').update(der).digest('hex'));
    const statement = JSON.parse(body.toString()) as Record<string, unknown>;
    const bytes = readFileSync(join(runFolder(home, end.runId), 'RECEIPT.json'));
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://github.com/deed-cli/deed/receipt/v1',
      subject: [
        { name: 'RECEIPT.json', digest: { sha256: createHash('sha256').update(bytes).digest('hex') } },
        {
          name: 'made.txt',
          digest: {
            sha256: createHash('sha256').update('made\n').digest('hex'),
            blake3: blake3Hex('made\n'),
          },
        },
      ],
      predicate: JSON.parse(bytes.toString()),
    });
  });
});

describe('a changed byte', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let home: string;
  const runs: string[] = [];
  beforeAll(async () => {
    folder = temporaryFolder('tamper');
    home = folder.path;
    for (let count = 0; count < 2; count += 1) {
      const end = draft();
      runs.push(end.runId);
      await finishRun(contextAt(home), end);
    }
  });
  afterAll(() => folder.dispose());

  const problems = (): string[] =>
    verifyReceipts(home).problems.map(({ run_id, file }) => `${run_id} ${file}`);
  /** Verifies a modified copy of the home. */
  const withCopy = (change: (copy: string) => void): string[] => {
    const copy = temporaryFolder('tampered');
    try {
      cpSync(home, copy.path, { recursive: true });
      change(copy.path);
      return verifyReceipts(copy.path).problems.map(({ run_id, file }) => `${run_id} ${file}`);
    } finally {
      copy.dispose();
    }
  };
  /** Flips a bit of single bytes of a file, verifies after each change, and restores the file. */
  const flip = (path: string, expected: string): void => {
    const bytes = readFileSync(path);
    const step = Math.max(1, Math.floor(bytes.length / FLIPS));
    try {
      for (let at = 0; at < bytes.length; at += step) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        writeFileSync(path, changed);
        expect(problems().join(), `byte ${at}`).toContain(expected);
      }
    } finally {
      writeFileSync(path, bytes);
    }
    expect(problems()).toEqual([]);
  };

  it.each([
    'RECEIPT.json',
    'receipt.dsse.json',
    'item.json',
    'capsule.json',
    'changes.json',
    'result.json',
    'test.log',
    'replay.sh',
  ])('anywhere in %s is detected and reported', (name) => {
    flip(join(home, 'runs', runs[0] ?? '', name), `${runs[0]} ${name}`);
  });

  it('in the chain is detected, and so are a truncated chain, a missing receipt and an extra file', () => {
    flip(join(home, 'runs/chain.jsonl'), 'chain.jsonl');
    const chain = readFileSync(join(home, 'runs/chain.jsonl'), 'utf8');
    const [first = ''] = chain.split('\n');
    expect(withCopy((copy) => writeFileSync(join(copy, 'runs/chain.jsonl'), `${first}\n`))).toEqual([
      `${runs[1]} chain.jsonl`,
      ' receipts.head.json',
    ]);
    // Keys in the same order, so that the line is still canonical.
    const renamed = chain.replaceAll('"run_id"', '"run_ie"');
    expect(withCopy((copy) => writeFileSync(join(copy, 'runs/chain.jsonl'), renamed))).toContain(
      ' chain.jsonl',
    );
    expect(withCopy((copy) => rmSync(join(copy, 'runs', runs[1] ?? '', 'RECEIPT.json')))).toEqual([
      `${runs[1]} RECEIPT.json`,
    ]);
    expect(withCopy((copy) => writeFileSync(join(copy, 'runs', runs[1] ?? '', 'extra'), ''))).toEqual([
      `${runs[1]} extra`,
    ]);
  });

  it('anywhere in the chain is repaired from the receipts', async () => {
    const path = join(home, 'runs/chain.jsonl');
    const bytes = readFileSync(path);
    const step = Math.max(1, Math.floor(bytes.length / FLIPS));
    for (let at = 0; at < bytes.length; at += step) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path, changed);
      expect(await repairReceipts(home), `byte ${at}`).toMatchObject([{ path }]);
      expect(readFileSync(path)).toEqual(bytes);
    }
    expect(await repairReceipts(home)).toEqual([]);
  });

  it('that decodes to the same text is detected', async () => {
    const copy = temporaryFolder('bytes');
    try {
      const end = draft({
        root: '/tree-\uFFFD',
        tests: {
          command: 'x',
          passed: true,
          exitCode: 0,
          timedOut: false,
          output: '\uFFFD\n',
          durationMs: 1,
        },
      });
      await finishRun(contextAt(copy.path), end);
      expect(verifyReceipts(copy.path).problems).toEqual([]);
      for (const name of [`${end.runId}/test.log`, `${end.runId}/RECEIPT.json`, 'chain.jsonl']) {
        const path = join(copy.path, 'runs', name);
        const bytes = readFileSync(path);
        const changed = Buffer.from(bytes);
        // A truncated multi-byte character: every decoder shows one replacement character for it.
        changed[changed.indexOf(Buffer.from('\uFFFD'))] = 0xf1;
        expect(changed.toString('utf8')).toBe(bytes.toString('utf8'));
        writeFileSync(path, changed);
        const files = verifyReceipts(copy.path).problems.map(({ file }) => file);
        expect(files, name).toContain(name.split('/').at(-1));
        writeFileSync(path, bytes);
      }
      expect(verifyReceipts(copy.path).problems).toEqual([]);
    } finally {
      copy.dispose();
    }
  });

  it('in the head is detected; so are receipts that were removed together with their lines, the newest or all', () => {
    flip(join(home, 'keys/receipts.head.json'), 'receipts.head.json');
    const chain = readFileSync(join(home, 'runs/chain.jsonl'), 'utf8');
    const [first = ''] = chain.split('\n');
    const newest = (copy: string): void => {
      writeFileSync(join(copy, 'runs/chain.jsonl'), `${first}\n`);
      rmSync(join(copy, 'runs', runs[1] ?? ''), { recursive: true });
    };
    expect(withCopy(newest)).toEqual([' receipts.head.json']);
    expect(withCopy((copy) => rmSync(join(copy, 'runs'), { recursive: true }))).toEqual([
      ' receipts.head.json',
    ]);
    expect(withCopy((copy) => rmSync(join(copy, 'keys/receipts.head.json')))).toEqual([
      ' receipts.head.json',
    ]);
  });

  it('of an outdated head is detected, unless all later lines exist', async () => {
    const copy = temporaryFolder('older');
    try {
      cpSync(home, copy.path, { recursive: true });
      const older = readFileSync(join(copy.path, 'keys/receipts.head.json'));
      const end = draft();
      await finishRun(contextAt(copy.path), end);
      // The state after a process was killed before it wrote the head; the next receipt updates the head.
      writeFileSync(join(copy.path, 'keys/receipts.head.json'), older);
      expect(verifyReceipts(copy.path).problems).toEqual([]);
      await finishRun(contextAt(copy.path), end);
      expect(readFileSync(join(copy.path, 'keys/receipts.head.json')).equals(older)).toBe(false);
      const [, ...later] = readFileSync(join(copy.path, 'runs/chain.jsonl'), 'utf8').split('\n');
      writeFileSync(join(copy.path, 'runs/chain.jsonl'), later.join('\n'));
      expect(verifyReceipts(copy.path).problems.map(({ file }) => file)).toContain('receipts.head.json');
    } finally {
      copy.dispose();
    }
  });

  it('of a receipt signed with another key is detected', () => {
    const found = withCopy((copy) => {
      rmSync(join(copy, 'keys'), { recursive: true });
      openSigningKey(join(copy, 'keys'));
    });
    expect(found).toEqual([...runs.map((id) => `${id} receipt.dsse.json`), ' receipts.head.json']);
  });

  it('cannot be missed: every file of a run is covered', () => {
    expect(readdirSync(join(home, 'runs', runs[0] ?? '')).sort()).toEqual([
      'RECEIPT.json',
      'capsule.json',
      'changes.json',
      'item.json',
      'receipt.dsse.json',
      'replay.sh',
      'result.json',
      'test.log',
    ]);
  });
});
