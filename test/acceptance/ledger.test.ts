import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/system/digest.ts';
import { signEnvelope } from '../../src/work/receipt/dsse.ts';
import { exportPem } from '../../src/work/receipt/signing-key.ts';
import { createKey, trustKeys } from '../fixtures/keyring.ts';
import { LedgerBench, type LedgerFiles } from '../fixtures/ledger-bench.ts';
import { confirmed, deed, executable, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const ENTRY = 'promotion.dsse.json';
const RECEIPT = 'receipt.dsse.json';

describe('a ledger of promotions', () => {
  let bench: LedgerBench;
  let auditor: { readonly home: string; readonly clone: string };
  let saved: { readonly restore: () => void };
  beforeAll(async () => {
    bench = new LedgerBench();
    await bench.land('one', 'two', 'three');
    auditor = bench.auditor();
    saved = bench.save();
  });
  beforeEach(() => {
    saved.restore();
    for (const { home } of [auditor, bench.integrator])
      rmSync(join(home, 'ledgers'), { recursive: true, force: true });
  });
  afterAll(() => bench.dispose());
  const verify = (...flags: string[]): Run => verifyIn(auditor, ...flags);
  const verifyIn = ({ home, clone }: typeof auditor, ...flags: string[]): Run =>
    deed(['receipt', 'verify', '--ledger', ...flags], { home, cwd: clone });
  const problems = (run: Run): string[] => {
    const found = (run.envelope.error?.details.problems ?? []) as { entry: number; problem: string }[];
    return found.map(({ entry, problem }) => `${entry}: ${problem}`);
  };
  /** Verifies the ledger with another list of entries. */
  const verifyWith = (change: (entries: LedgerFiles[]) => readonly LedgerFiles[]): Run => {
    bench.rewrite(change([...bench.entries()]));
    const run = verify();
    expect(run.envelope.error?.code).toBe('E_DAMAGED');
    return run;
  };
  const payloadOf = (text: string): Record<string, unknown> & { predicate: Record<string, unknown> } =>
    JSON.parse(
      Buffer.from((JSON.parse(text) as { payload: string }).payload, 'base64').toString(),
    ) as ReturnType<typeof payloadOf>;

  it('is verified from a fresh clone with only the trusted keys', () => {
    expect(verify().envelope.data).toEqual({
      checked: 3,
      valid: true,
      ledger: {
        remote: bench.remote.replace(/\.git$/u, ''),
        commit: bench.git('rev-parse', 'refs/deed/ledger'),
        entries: 3,
        branches: [
          { branch: 'main', tip: bench.git('rev-parse', 'main'), promoted: 3, others: 0, other_commits: [] },
        ],
        signers: [{ key_id: bench.worker.keyId, name: 'build', receipts: 3, linked: 0 }],
        notices: [],
      },
    });
    expect(verify('--exclusive').code).toBe(0);
  });

  it.runIf(LONG)('is verified with a folder of keys, without a home that knows them', () => {
    const fresh = bench.fresh();
    expect(verifyIn(fresh).envelope.error).toMatchObject({ code: 'E_CONFIG' });
    const keys = join(auditor.home, 'keys/trusted');
    const run = deed(['receipt', 'verify', '--ledger', '--root', fresh.clone, '--keys', keys], {
      home: fresh.home,
      cwd: fresh.home,
    });
    expect(run.envelope.data.checked).toBe(3);
  });

  it.runIf(LONG)('names the worker whose key is missing', () => {
    const fresh = bench.fresh();
    trustKeys(fresh.home, [['land', 'integrator', bench.integrator.key]]);
    const run = verifyIn(fresh);
    expect(run.envelope.error).toMatchObject({ code: 'E_DAMAGED' });
    expect(problems(run)).toHaveLength(3);
    expect(run.envelope.error?.message).toContain('Entry 1 of the ledger (job_1/one): no trusted key');
  });

  it.runIf(LONG)('does not accept entries that a worker signed', () => {
    const fresh = bench.fresh();
    trustKeys(fresh.home, [
      ['build', 'worker', bench.worker],
      ['land', 'worker', bench.integrator.key],
      ['x', 'integrator', createKey()],
    ]);
    expect(problems(verifyIn(fresh))[0]).toContain('which does not belong to a trusted integrator');
  });

  it.runIf(LONG)('does not read an entry that would fill the memory', () => {
    const large = Buffer.alloc(200_000_000, ' ').toString();
    const run = verifyWith((entries) =>
      entries.map((files, index) => (index === 1 ? { ...files, [ENTRY]: large } : files)),
    );
    expect(problems(run)[0]).toBe('2: is not a signed entry');
    const { clone, home } = auditor;
    const argv = [...executable(), 'receipt', 'verify', '--ledger'];
    const { stderr } = spawnSync('/usr/bin/time', ['-f', '%M', ...argv], {
      cwd: clone,
      env: { ...process.env, DEED_HOME: home },
      encoding: 'utf8',
    });
    expect(Number(stderr.trim().split('\n').at(-1))).toBeLessThan(400_000);
  });

  it('shows an entry that was changed', () => {
    const run = verifyWith((entries) =>
      entries.map((files, index) => {
        if (index !== 1) return files;
        const envelope = JSON.parse(files[ENTRY]) as { payload: string };
        const text = Buffer.from(envelope.payload, 'base64').toString().replace('"two"', '"TWO"');
        return {
          ...files,
          [ENTRY]: JSON.stringify({ ...envelope, payload: Buffer.from(text).toString('base64') }),
        };
      }),
    );
    expect(problems(run)).toEqual([
      '2: its signature is invalid',
      '3: names another entry as the one before it: an entry was removed, replaced or added again',
    ]);
  });

  it.runIf(LONG)('shows an entry that was removed, moved or added again', () => {
    const removed = problems(verifyWith(([one, , three]) => [one, three] as LedgerFiles[]));
    expect(removed).toEqual([
      '2: says that it is entry 3',
      '2: names another entry as the one before it: an entry was removed, replaced or added again',
    ]);
    saved.restore();
    const moved = problems(verifyWith(([one, two, three]) => [one, three, two] as LedgerFiles[]));
    expect(moved).toContain('3: says that it is entry 2');
    saved.restore();
    const again = problems(verifyWith((entries) => [...entries, entries[0] as LedgerFiles]));
    expect(again).toContain('4: the item was promoted before, by entry 1');
    saved.restore();
    const odd = problems(
      verifyWith((entries) => [...entries, { ...entries[0], [ENTRY]: '{}' } as LedgerFiles]),
    );
    expect(odd).toEqual(['4: is not a signed entry']);
  });

  it.runIf(LONG)(
    'shows a receipt that was changed or exchanged, and an entry of an untrusted integrator',
    () => {
      const changed = verifyWith((entries) =>
        entries.map((files, index) => (index === 0 ? { ...files, [RECEIPT]: '{}' } : files)),
      );
      expect(problems(changed)[0]).toMatch(/^1: no trusted key signed its receipt/u);
      saved.restore();
      const exchanged = verifyWith((entries) =>
        entries.map((files, index) =>
          index === 0 ? { ...files, [RECEIPT]: entries[1]?.[RECEIPT] as string } : files,
        ),
      );
      expect(problems(exchanged)[0]).toBe('1: its receipt is not the one that the integrator signed');
      saved.restore();
      const untrusted = createKey();
      const foreign = verifyWith((entries) => {
        const [last] = entries.slice(-1) as [LedgerFiles];
        const { predicate, ...statement } = payloadOf(last[ENTRY]);
        const entry = { ...statement, predicate: { ...predicate, integrator_key_id: untrusted.keyId } };
        return [
          ...entries.slice(0, -1),
          { ...last, [ENTRY]: JSON.stringify(signEnvelope(JSON.stringify(entry), untrusted)) },
        ];
      });
      expect(problems(foreign)).toEqual([
        `3: it was signed with the key ${untrusted.keyId}, which does not belong to a trusted integrator`,
      ]);
    },
  );

  it('shows commits that were pushed to the branch without an entry', () => {
    const tree = bench.git('rev-parse', 'main^{tree}');
    const author = ['-c', 'user.name=p', '-c', 'user.email=p@example.org'];
    const commit = bench.git(...author, 'commit-tree', '-m', 'person', '-p', 'main', tree);
    bench.git('update-ref', 'refs/heads/main', commit);
    const run = verify();
    expect(run.envelope.data.ledger.branches[0]).toMatchObject({ others: 1, other_commits: [commit] });
    expect(run.stderr).toContain('main has 1 commit without an entry in the ledger');
    expect(verify('--exclusive').envelope.error).toMatchObject({
      code: 'E_DAMAGED',
      message: expect.stringContaining('main has 1 commit without an entry') as string,
    });
  });

  it.runIf(LONG)('shows that the branch was rewound or replaced', () => {
    bench.git('update-ref', 'refs/heads/main', 'main~1');
    expect(problems(verify())[0]).toMatch(/^3: its commit \w+ is not on main: the branch was rewound$/u);
    bench.git('update-ref', '-d', 'refs/heads/main');
    const gone = verify();
    expect(gone.envelope.data.ledger.notices[0]).toContain('no longer has the branch main');
  });

  it('shows a rewound or deleted ledger to a home that has seen a later entry', () => {
    expect(verify().code).toBe(0);
    const seen = bench.git('rev-parse', 'refs/deed/ledger');
    bench.git('update-ref', 'refs/deed/ledger', 'refs/deed/ledger~1');
    bench.git('update-ref', 'refs/heads/main', 'main~1');
    const rewound = verify().envelope.error;
    expect(rewound).toMatchObject({ code: 'E_DAMAGED' });
    expect(rewound?.message).toContain('this home has seen entry 3');
    // The clone still has what must be pushed again: git does not delete commits of refs.
    const kept = execFileSync('git', ['rev-parse', 'refs/deed/ledger'], { cwd: auditor.clone });
    expect(kept.toString().trim()).toBe(seen);
    // Another home cannot know.
    expect(verifyIn(bench.auditor()).envelope.data.checked).toBe(2);
    bench.git('update-ref', '-d', 'refs/deed/ledger');
    expect(verify().envelope.error?.message).toContain('it was deleted');
    expect(verifyIn(bench.auditor()).envelope.error?.code).toBe('E_NOT_FOUND');
    const [file = ''] = readdirSync(join(auditor.home, 'ledgers'));
    writeFileSync(join(auditor.home, 'ledgers', file), '{');
    expect(verify().envelope.error).toMatchObject({ code: 'E_DAMAGED' });
  });

  it.runIf(LONG)(
    'is not continued by an integrator if it was rewound, or if no trusted integrator signed its end',
    async () => {
      await bench.land('seen');
      const result = await bench.result('four');
      bench.git('update-ref', 'refs/deed/ledger', 'refs/deed/ledger~1');
      await expect(bench.promote(result)).rejects.toMatchObject({ code: 'E_DAMAGED' });
      saved.restore();
      rmSync(join(bench.integrator.home, 'ledgers'), { recursive: true });
      const again = await bench.result('four');
      bench.rewrite([...bench.entries(), { [ENTRY]: '{}', [RECEIPT]: '{}' }]);
      await expect(bench.promote(again)).rejects.toMatchObject({
        code: 'E_DAMAGED',
        message: expect.stringContaining('is not a signed entry') as string,
      });
      expect(bench.git('ls-tree', '--name-only', 'main')).not.toContain('four.txt');
    },
  );

  it.runIf(LONG)('has one entry for each item, if two integrators land at the same time', async () => {
    const other = bench.addIntegrator();
    bench.git('branch', 'side', 'main~3');
    const [same, main, side] = [
      await bench.result('same'),
      await bench.result('main'),
      await bench.result('side', 'side'),
    ];
    const twice = await Promise.all([bench.promote(same), bench.promote(same, 'main', other)]);
    expect(twice.filter((landed) => landed !== undefined)).toHaveLength(1);
    // They compete only for the ledger: the second one writes its entry again.
    const both = await Promise.all([bench.promote(side, 'side'), bench.promote(main, 'main', other)]);
    expect(both[0]?.record.step).toBe('promoted');
    // Its branch has moved since it was read.
    expect(both[1]).toBeUndefined();
    const next = await bench.result('next');
    const pair = await Promise.all([
      bench.promote(next),
      bench.promote(await bench.result('aside', 'side'), 'side', other),
    ]);
    expect(pair.map((landed) => landed?.record.step)).toEqual(['promoted', 'promoted']);
    const reader = bench.auditor();
    trustKeys(reader.home, [['other', 'integrator', other.key]]);
    expect(verifyIn(reader).envelope.data).toMatchObject({ checked: 7, valid: true });
  });

  it.runIf(LONG)('keeps what a retired signer signed, and accepts nothing new from it', async () => {
    const next = bench.addIntegrator();
    const reader = bench.fresh();
    trustKeys(reader.home, [
      ['build', 'retired', bench.worker],
      ['land', 'retired', bench.integrator.key],
      ['next', 'integrator', next.key],
    ]);
    expect(problems(verifyIn(reader))).toEqual(['3: is the last one, and its key is retired']);
    const landed = await bench.promote(await bench.result('later'), 'main', next);
    expect(landed?.record.step).toBe('promoted');
    expect(verifyIn(reader).envelope.data).toMatchObject({ checked: 4, valid: true });
  });

  it.runIf(LONG)('reports two receipts of one worker that follow the same receipt', async () => {
    const previous = sha256('x');
    await bench.promote(await bench.result('left', 'main', previous));
    await bench.promote(await bench.result('right', 'main', previous));
    expect(verify().envelope.data.ledger.notices).toEqual([
      expect.stringContaining('entries 4 and 5 both follow the same receipt') as string,
    ]);
  });

  it.runIf(LONG)('is verified with a number of processes that does not depend on its length', async () => {
    const [folder, log] = [join(auditor.home, 'bin'), join(auditor.home, 'git.log')];
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    mkdirSync(folder);
    writeFileSync(join(folder, 'git'), `#!/bin/sh\necho >> ${log}\nexec ${git} "$@"\n`, { mode: 0o755 });
    const count = (): number => {
      writeFileSync(log, '');
      const { home, clone } = bench.auditor();
      const env = { PATH: `${folder}:${process.env.PATH}` };
      const run = deed(['receipt', 'verify', '--ledger'], { home, cwd: clone, env });
      expect(run.code).toBe(0);
      return readFileSync(log, 'utf8').length;
    };
    const few = count();
    await bench.land('p', 'q', 'r');
    expect(count()).toBe(few);
    expect(few).toBeLessThan(20);
  });

  it.runIf(LONG)('needs the history of the branch', () => {
    const { home, clone } = bench.auditor();
    rmSync(clone, { recursive: true });
    execFileSync('git', ['clone', '-q', '--depth', '1', pathToFileURL(bench.remote).href, clone]);
    expect(verifyIn({ home, clone }).envelope.error).toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('shallow clone') as string,
    });
  });

  it('is not mixed with other ways to verify', () => {
    const call = (...argv: string[]): string | undefined =>
      deed(['receipt', 'verify', ...argv], { home: auditor.home, cwd: auditor.clone }).envelope.error?.code;
    expect(call('--ledger', '--file', 'x', '--key', 'y')).toBe('E_VALIDATION');
    expect(call('--keys', '.')).toBe('E_VALIDATION');
    expect(call('--exclusive')).toBe('E_VALIDATION');
  });
});

describe('the keyring', () => {
  let bench: LedgerBench;
  beforeAll(() => {
    bench = new LedgerBench();
  });
  afterAll(() => bench.dispose());

  it('has signers with names and roles, which can be changed and removed', () => {
    const { home } = bench.fresh();
    const file = join(home, 'build.pub.pem');
    const key = createKey();
    writeFileSync(file, exportPem(key.publicKey));
    const options = { home, cwd: home };
    const read = (...argv: string[]): Run => deed(argv, options);
    const trust = (...argv: string[]) => confirmed(['receipt', 'trust', ...argv], options).envelope;
    expect(trust('build.pub.pem', '--name', 'build').data).toEqual({
      name: 'build',
      role: 'worker',
      key_id: key.keyId,
      path: join(home, 'keys/trusted/build.worker.pem'),
    });
    expect(read('receipt', 'signers').envelope.data).toMatchObject({
      items: [{ name: 'build', role: 'worker', key_id: key.keyId }],
      count: 1,
    });
    expect(trust('build.pub.pem', '--name', 'build', '--role', 'retired').data.role).toBe('retired');
    expect(readdirSync(join(home, 'keys/trusted'))).toEqual(['build.retired.pem']);
    const other = join(home, 'other.pem');
    writeFileSync(other, exportPem(createKey().publicKey));
    const dry = (...argv: string[]) => read('receipt', ...argv, '--dry-run').envelope.error?.code;
    expect(dry('trust', other, '--name', 'build')).toBe('E_CONFLICT');
    expect(dry('trust', file, '--name', 'twice')).toBe('E_CONFLICT');
    expect(dry('trust', join(home, 'none.pem'), '--name', 'x')).toBe('E_NOT_FOUND');
    expect(dry('untrust', 'missing')).toBe('E_NOT_FOUND');
    // A private key is refused, although its public key could be derived.
    writeFileSync(other, key.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(dry('trust', other, '--name', 'secret')).toBe('E_VALIDATION');
    expect(confirmed(['receipt', 'untrust', 'build'], options).envelope.data).toEqual({
      name: 'build',
      role: 'retired',
      key_id: key.keyId,
    });
    expect(read('receipt', 'signers').envelope.data.count).toBe(0);
  });

  it('refuses damaged files, and files that others can write', () => {
    const { home } = bench.auditor();
    const code = () => deed(['receipt', 'signers'], { home, cwd: home }).envelope.error?.code;
    const odd = join(home, 'keys/trusted/odd.pem');
    writeFileSync(odd, exportPem(createKey().publicKey));
    expect(code()).toBe('E_DAMAGED');
    rmSync(odd);
    const file = join(home, 'keys/trusted/build.worker.pem');
    rmSync(file);
    writeFileSync(file, 'x', { mode: 0o600 });
    expect(code()).toBe('E_DAMAGED');
    rmSync(file);
    writeFileSync(file, exportPem(createKey().publicKey), { mode: 0o600 });
    execFileSync('chmod', ['g+w', file]);
    expect(code()).toBe('E_FORBIDDEN');
  });

  it('has no links: the fix that the error names makes the keyring usable', () => {
    const { home } = bench.auditor();
    const signers = () => deed(['receipt', 'signers'], { home, cwd: home }).envelope;
    const [folder, file] = [join(home, 'keys/trusted'), join(home, 'keys/trusted/build.worker.pem')];
    for (const path of [file, folder]) {
      renameSync(path, `${path}.real`);
      symlinkSync(`${path}.real`, path);
      const { error } = signers();
      expect(error).toMatchObject({
        code: 'E_FORBIDDEN',
        message: expect.stringContaining(`${path} is a symbolic link to ${path}.real`) as string,
      });
      const [, command = 'false'] = /: (cp .*)$/u.exec(String(error?.details.hint)) ?? [];
      execFileSync('sh', ['-c', command]);
      expect(signers().data.count).toBe(2);
    }
  });

  it('refuses a file that is too large for a key before it reads it', () => {
    const { home } = bench.fresh();
    const large = join(home, 'large.pem');
    writeFileSync(large, '');
    truncateSync(large, 40 * 1024 * 1024);
    const trust = (name: string) =>
      deed(['receipt', 'trust', name, '--name', 'x', '--dry-run'], { home, cwd: home }).envelope;
    expect(trust(large).error).toMatchObject({
      code: 'E_IO',
      message: expect.stringContaining('has 41943040 bytes; the limit is 16384') as string,
    });
    expect(trust('/dev/zero').error).toMatchObject({ code: 'E_IO' });
  });

  it('gets the key of a home that has signed nothing yet', () => {
    const { home } = bench.fresh();
    const exported = deed(['receipt', 'export', '--as', 'key'], { home, cwd: home });
    expect(exported.envelope.data).toMatchObject({
      as: 'key',
      text: expect.stringContaining('BEGIN PUBLIC KEY') as string,
    });
    const again = deed(['receipt', 'export', '--as', 'key', '--format', 'raw'], {
      home,
      cwd: home,
    });
    expect(again.stdout).toBe(exported.envelope.data.text);
    const none = deed(['receipt', 'export'], { home, cwd: home });
    expect(none.envelope.error?.code).toBe('E_VALIDATION');
  });
});
