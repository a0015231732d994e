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
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { blake3Hex } from '../../base/blake3.ts';
import { putObject } from '../workspace/object-store.ts';
import { checkItem } from '../item/parse-plan.ts';
import { hashItem } from '../item/hash-item.ts';
import { finishRun } from '../run/finish-run.ts';
import { NO_DELTAS, type RunDraft } from '../run/run-draft.ts';
import { newId, runFolder } from '../run/run-folder.ts';
import type { WorkspaceContext } from '../workspace/workspace.ts';
import type { WorkContext } from '../work-context.ts';
import { FIRST, type Receipt } from './receipt.ts';
import { openSigningKey } from './signing-key.ts';
import { verifyReceipts } from './verify-receipts.ts';

const item = checkItem({ id: 'one', agent_id: 'agent-1', description: 'x' });

/** Ending a run needs a home, a clock and names; the rest of the context is not looked at. */
function worldAt(home: string): WorkContext {
  const workspace = { folder: join(home, 'work') };
  mkdirSync(workspace.folder, { recursive: true });
  putObject(workspace as WorkspaceContext, Buffer.from('made\n'));
  return {
    home,
    workspace,
    clock: { now: Date.now },
    toolchainVersion: 'deed 0.0.0-test',
    runtimeVersion: 'node 0',
    program: ['deed'],
    agents: {},
    env: {},
    signal: new AbortController().signal,
    onEvent: () => undefined,
  } as unknown as WorkContext;
}

function draft(overrides: Partial<RunDraft> = {}): RunDraft {
  return {
    runId: newId('run', Date.now()),
    receiptId: crypto.randomUUID(),
    jobId: 'job_x',
    item,
    itemHash: hashItem(item),
    agent: undefined,
    root: '/tree',
    startedAt: new Date().toISOString(),
    status: 'success',
    before: { hash: 'b'.repeat(64), head: null, branch: null, indexHash: null },
    afterHash: 'a'.repeat(64),
    changes: [
      {
        path: 'made.txt',
        action: 'create',
        type: 'file',
        after: { type: 'file', mode: 0o644, hash: blake3Hex('made\n'), size: 5 },
      },
    ],
    deltas: { ...NO_DELTAS, deltaO: [{ type: 'add', target: 'made.txt' }] },
    toolTrace: [
      {
        id: 't',
        name: 'write',
        input: { to: 'made.txt' },
        startTime: '2026-01-01T00:00:00.000Z',
        status: 'success',
      },
    ],
    toolSource: 'a test',
    executionMs: 5,
    tests: { command: 'true', passed: true, exitCode: 0, timedOut: false, output: 'fine\n', durationMs: 1 },
    workspace: {
      mode: 'overlay',
      sandboxed: true,
      fallbacks: [],
      skipped: [],
      ignored: 0,
      drift: [],
      reruns: 0,
    },
    replay: { snapshotId: 's', sourceDateEpoch: '0' },
    ...overrides,
  };
}

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

  it('is given for every end, and each follows the one before', async () => {
    const ends: RunDraft[] = [
      draft(),
      draft({ status: 'failure', error: 'Tests failed', code: 'E_TESTS_FAILED' }),
      draft({ status: 'timeout', error: 'Timed out after 5 ms', code: 'E_TIMEOUT' }),
      draft({ status: 'denied', denial: { reason: 'files_exceeded', message: 'Exceeded max files: 2 > 1' } }),
    ];
    for (const end of ends) await finishRun(worldAt(home), end);
    const receipts = ends.map(({ runId }) => JSON.parse(read(home, runId, 'RECEIPT.json')) as Receipt);
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'failure', 'timeout', 'denied']);
    expect(receipts.map(({ previous_receipt_hash }) => previous_receipt_hash)).toEqual([
      FIRST,
      ...receipts.slice(0, -1).map(({ receipt_hash }) => receipt_hash),
    ]);
    expect(verifyReceipts(home)).toEqual({ checked: 4, problems: [] });
  });

  it('lists nothing and states the old hash unless the run was promoted', async () => {
    const end = draft({ status: 'failure', error: 'x' });
    const result = await finishRun(worldAt(home), end);
    expect(result).toMatchObject({ created_files: [], output_hash: 'b'.repeat(64), artifact_hashes: {} });
    expect(result.proof_script).toBeUndefined();
  });

  it('is the same when a run is finished twice', async () => {
    const end = draft();
    const first = await finishRun(worldAt(home), end);
    const receipt = read(home, end.runId, 'RECEIPT.json');
    expect(await finishRun(worldAt(home), { ...end, receiptId: 'other' })).toEqual(first);
    expect(read(home, end.runId, 'RECEIPT.json')).toBe(receipt);
  });

  it('keeps one chain when twenty runs end at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => finishRun(worldAt(home), draft())));
    expect(verifyReceipts(home)).toEqual({ checked: 20, problems: [] });
  });

  it('is not harmed by what a killed process left half written', async () => {
    const end = draft();
    mkdirSync(runFolder(home, end.runId), { recursive: true });
    writeFileSync(join(runFolder(home, end.runId), 'RECEIPT.json.1-2-3.tmp'), '{');
    await finishRun(worldAt(home), end);
    expect(verifyReceipts(home)).toEqual({ checked: 1, problems: [] });
  });

  it('goes on after half a line that a crash left in the chain', async () => {
    await finishRun(worldAt(home), draft());
    appendFileSync(join(home, 'runs/chain.jsonl'), '{"half":');
    await finishRun(worldAt(home), draft());
    expect(verifyReceipts(home)).toEqual({ checked: 2, problems: [] });
  });

  it('is signed with a key that only its owner can read, and one key however many make it at once', async () => {
    const keys = await Promise.all(
      Array.from({ length: 5 }, async () => openSigningKey(join(home, 'keys')).keyId),
    );
    expect(new Set(keys).size).toBe(1);
    expect(statSync(join(home, 'keys/receipts.key.pem')).mode & 0o777).toBe(0o600);
  });

  it('is refused by a key that is none', async () => {
    await finishRun(worldAt(home), draft());
    writeFileSync(join(home, 'keys/receipts.pub.pem'), 'no key');
    expect(() => verifyReceipts(home)).toThrow('is not an Ed25519 key');
  });

  it('passes a check that knows only the papers of DSSE and in-toto', async () => {
    const end = draft();
    await finishRun(worldAt(home), end);
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
      await finishRun(worldAt(home), end);
    }
  });
  afterAll(() => folder.dispose());

  const named = (): string[] => verifyReceipts(home).problems.map(({ run_id, file }) => `${run_id} ${file}`);
  /** Verifies a copy of the home after something was done to it. */
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
  /** Changes single bytes of a file, verifies after each, and puts the file back. */
  const flip = (path: string, stride: number, expected: string): void => {
    const bytes = readFileSync(path);
    const step = Math.max(1, Math.floor(bytes.length / stride));
    try {
      for (let at = 0; at < bytes.length; at += step) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        writeFileSync(path, changed);
        expect(named().join(), `byte ${at}`).toContain(expected);
      }
    } finally {
      writeFileSync(path, bytes);
    }
    expect(named()).toEqual([]);
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
  ])('anywhere in %s is found and named', (name) => {
    flip(join(home, 'runs', runs[0] ?? '', name), 100, `${runs[0]} ${name}`);
  });

  it('in the chain is found, and so are a cut end, a missing receipt and a file that was slipped in', () => {
    flip(join(home, 'runs/chain.jsonl'), 100, 'chain.jsonl');
    const chain = readFileSync(join(home, 'runs/chain.jsonl'), 'utf8');
    const [first = ''] = chain.split('\n');
    expect(withCopy((copy) => writeFileSync(join(copy, 'runs/chain.jsonl'), `${first}\n`))).toEqual([
      `${runs[1]} chain.jsonl`,
      ' receipts.head.json',
    ]);
    expect(withCopy((copy) => rmSync(join(copy, 'runs', runs[1] ?? '', 'RECEIPT.json')))).toEqual([
      `${runs[1]} RECEIPT.json`,
    ]);
    expect(withCopy((copy) => writeFileSync(join(copy, 'runs', runs[1] ?? '', 'extra'), ''))).toEqual([
      `${runs[1]} extra`,
    ]);
  });

  it('that reads as the same text is found: what is vouched for are bytes', async () => {
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
      await finishRun(worldAt(copy.path), end);
      expect(verifyReceipts(copy.path).problems).toEqual([]);
      for (const name of [`${end.runId}/test.log`, `${end.runId}/RECEIPT.json`, 'chain.jsonl']) {
        const path = join(copy.path, 'runs', name);
        const bytes = readFileSync(path);
        const changed = Buffer.from(bytes);
        // The beginning of a longer character, cut short: every reader of text shows one replacement character for it.
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

  it('in the head is found; so are receipts that were taken away together with their lines, the newest or all', () => {
    flip(join(home, 'keys/receipts.head.json'), 100, 'receipts.head.json');
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

  it('of an older head is found, unless what came after it is all there', async () => {
    const copy = temporaryFolder('older');
    try {
      cpSync(home, copy.path, { recursive: true });
      const older = readFileSync(join(copy.path, 'keys/receipts.head.json'));
      const end = draft();
      await finishRun(worldAt(copy.path), end);
      // As a process that was killed before it wrote the head leaves it; the next receipt brings it up to date.
      writeFileSync(join(copy.path, 'keys/receipts.head.json'), older);
      expect(verifyReceipts(copy.path).problems).toEqual([]);
      await finishRun(worldAt(copy.path), end);
      expect(readFileSync(join(copy.path, 'keys/receipts.head.json')).equals(older)).toBe(false);
      const [, ...later] = readFileSync(join(copy.path, 'runs/chain.jsonl'), 'utf8').split('\n');
      writeFileSync(join(copy.path, 'runs/chain.jsonl'), later.join('\n'));
      expect(verifyReceipts(copy.path).problems.map(({ file }) => file)).toContain('receipts.head.json');
    } finally {
      copy.dispose();
    }
  });

  it('of a receipt that was signed again by another key is found', () => {
    const found = withCopy((copy) => {
      rmSync(join(copy, 'keys'), { recursive: true });
      openSigningKey(join(copy, 'keys'));
    });
    expect(found).toEqual([...runs.map((id) => `${id} receipt.dsse.json`), ' receipts.head.json']);
  });

  it('leaves nothing unlooked at: every file of a run is vouched for', () => {
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
