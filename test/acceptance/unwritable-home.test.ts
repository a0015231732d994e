import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  deedAsOrdinaryAccount,
  giveToOrdinaryAccount,
  ordinaryAccount,
} from '../fixtures/ordinary-account.ts';
import { createHome, deed, type Envelope, type Run } from '../fixtures/run-deed.ts';

const SET = ['config', 'set', 'list.limit', '7'];
const NOT_IN_LOG = /^deed: This call is not in the audit log: Could not .+\n$/u;

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.dispose());

const run = (argv: readonly string[], path: string = home.path): Run =>
  deed(argv, { home: path, ownProcess: true });

describe('a home that is a file', () => {
  it('allows reads with a warning and rejects writes', () => {
    const path = join(home.path, 'file');
    writeFileSync(path, '');
    const read = run(['context', '--fields', 'version'], path);
    expect([read.code, read.envelope.ok]).toEqual([0, true]);
    expect(read.stderr).toMatch(NOT_IN_LOG);
    const refused = run([...SET, '--dry-run'], path);
    expect([refused.code, refused.envelope.error]).toMatchObject([
      1,
      { code: 'E_IO', details: { reason: 'EEXIST' } },
    ]);
    expect(run(['doctor'], path).envelope.data.healthy).toBe(false);
  });
});

describe('an audit log that cannot be written', () => {
  const block = (): void => {
    rmSync(join(home.path, 'audit'), { recursive: true });
    writeFileSync(join(home.path, 'audit'), 'in the way');
  };

  it('allows reads with a warning, also with --quiet', () => {
    run(['context']);
    block();
    for (const argv of [['config', 'get', 'list.limit'], ['nope'], ['config', 'get', 'nope']]) {
      expect(run([...argv, '--quiet']).stderr).toMatch(NOT_IN_LOG);
    }
    expect(run(['nope']).envelope.error?.code).toBe('E_USAGE');
  });

  it('rejects a write before anything is changed, and keeps its token valid', () => {
    const token = run([...SET, '--dry-run']).envelope.data.confirm_token as string;
    block();
    const refused = run([...SET, '--confirm', token]);
    expect([refused.code, refused.envelope.error?.code]).toEqual([1, 'E_IO']);
    expect(refused.envelope.error?.message).toContain('so nothing was changed');
    expect([existsSync(join(home.path, 'config.json')), existsSync(join(home.path, 'consumed'))]).toEqual([
      false,
      false,
    ]);
    rmSync(join(home.path, 'audit'));
    expect(run([...SET, '--confirm', token]).code).toBe(0);
  });

  it('rejects a write if its key is no longer private', () => {
    const token = run([...SET, '--dry-run']).envelope.data.confirm_token as string;
    chmodSync(join(home.path, 'audit', 'chain.key'), 0o644);
    const refused = run([...SET, '--confirm', token]);
    expect([refused.code, refused.envelope.error?.code, existsSync(join(home.path, 'config.json'))]).toEqual([
      4,
      'E_CONFIG',
      false,
    ]);
  });
});

describe.runIf(ordinaryAccount !== null)('a home without permission to write', () => {
  const call = (
    argv: readonly string[],
    path: string,
  ): { envelope: Envelope; code: number | null; stderr: string } => {
    const { stdout, ...rest } = deedAsOrdinaryAccount(argv, path);
    return { ...rest, envelope: JSON.parse(stdout) as Envelope };
  };

  it('allows reads with a warning and rejects writes as forbidden', () => {
    const path = join(home.path, 'read-only');
    mkdirSync(path);
    chmodSync(home.path, 0o755);
    chmodSync(path, 0o500);
    giveToOrdinaryAccount(path);
    const read = call(['config', 'get', 'list.limit'], path);
    expect([read.code, read.envelope.data.value]).toEqual([0, 50]);
    expect(read.stderr).toMatch(NOT_IN_LOG);
    const refused = call([...SET, '--dry-run'], path);
    expect([refused.code, refused.envelope.error?.code]).toEqual([4, 'E_FORBIDDEN']);
    expect(readdirSync(path)).toEqual([]);
  });

  it('that was writable before rejects a write before anything is changed', () => {
    const path = join(home.path, 'was-writable');
    mkdirSync(path, { mode: 0o700 });
    chmodSync(home.path, 0o755);
    giveToOrdinaryAccount(path);
    const token = call([...SET, '--dry-run'], path).envelope.data.confirm_token as string;
    chmodSync(join(path, 'audit'), 0o500);
    const refused = call([...SET, '--confirm', token], path);
    expect([refused.code, refused.envelope.error?.code]).toEqual([4, 'E_FORBIDDEN']);
    expect(readdirSync(path).sort()).toEqual(['audit', 'audit.anchor', 'confirm.secret']);
    chmodSync(join(path, 'audit'), 0o700);
    expect(call([...SET, '--confirm', token], path).code).toBe(0);
  });

  it('of another account fails with exit code 4', () => {
    const path = join(home.path, 'private');
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o000);
    chmodSync(home.path, 0o755);
    giveToOrdinaryAccount(path);
    const read = call(['context', '--fields', 'version'], path);
    expect([read.code, read.stderr]).toEqual([4, expect.stringMatching(NOT_IN_LOG)]);
    chmodSync(path, 0o700);
  });
});
