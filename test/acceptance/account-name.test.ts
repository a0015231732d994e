import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, deed, executable, type Envelope } from '../fixtures/run-deed.ts';

const isRoot = process.getuid?.() === 0;
const UNKNOWN = 4242;
const hasEntry = readFileSync('/etc/passwd', 'utf8').includes(`:${UNKNOWN}:`);
const ownName = spawnSync('id', ['-un'], { encoding: 'utf8' }).stdout.trim();

describe('the account', () => {
  it('is identified by its uid, not by the environment', () => {
    const home = createHome();
    const forged = { USER: 'forged-name', LOGNAME: 'forged-name', USERNAME: 'forged-name' };
    const { account } = deed(['context'], { home: home.path, env: forged, ownProcess: true }).envelope.data;
    expect(account).toMatchObject({ user: ownName, uid: String(process.getuid?.()) });
    const lines = deed(['audit', 'list', '--limit', '100'], {
      home: home.path,
      env: forged,
      ownProcess: true,
    }).stdout;
    expect(lines).not.toContain('forged-name');
    home.dispose();
  });
});

describe.runIf(isRoot && !hasEntry)('an account without an entry in the user database', () => {
  let home = '';
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'deed-unknown-'));
    chownSync(home, UNKNOWN, UNKNOWN);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const run = (
    name: Parameters<typeof executable>[0],
    argv: readonly string[],
    env: Readonly<Record<string, string>> = { HOME: home },
  ) => {
    const [program, ...first] = executable(name);
    const { status, stdout, stderr } = spawnSync(program, [...first, ...argv], {
      cwd: home,
      env: { PATH: process.env.PATH, DEED_HOME: join(home, '.deed'), ...env },
      encoding: 'utf8',
      uid: UNKNOWN,
      gid: UNKNOWN,
    });
    return { code: status, stdout, stderr };
  };

  it('is shown as a number', () => {
    const { stdout } = run('deed', ['context']);
    expect((JSON.parse(stdout) as Envelope).data.account).toMatchObject({
      user: `uid ${UNKNOWN}`,
      uid: String(UNKNOWN),
    });
  });

  it.each([
    ['vybe', ['push', '--agent', 'a', '--request-id', 'r', '--json', '{"event":{"kind":"k","message":"m"}}']],
    ['vybe', ['resume', '--agent', 'a', '--request-id', 's']],
    ['pt', ['agent', 'snapshot', '--window', '50ms']],
    ['deed', ['doctor']],
    ['deed', ['work', 'list']],
    ['deed', ['task', 'create', '--title', 'x', '--dry-run']],
    ['ai-agent', ['--help']],
  ] as const)('can use %s %j', (name, argv) => {
    const { code, stderr } = run(name, argv);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('needs no HOME either', () => {
    expect(run('deed', ['context'], {}).code).toBe(0);
  });
});
