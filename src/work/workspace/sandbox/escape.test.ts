import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import type { TreeKind } from '../../../../test/fixtures/escape/escape-scene.ts';
import { findEscapes, type Escapes } from '../../../../test/fixtures/escape/find-escapes.ts';
import { listSandboxes } from '../../../../test/fixtures/workspace-modes.ts';

const KINDS: readonly TreeKind[] = ['plain', 'worktree', 'submodule'];
const isLong = process.env.DEED_TEST_LONG === '1';
const isRoot = process.getuid?.() === 0;
// The copies of root, and an ordinary account on every sandbox, are left to the long suite.
const SANDBOXES = (await listSandboxes()).filter(
  ({ isolation, mode }) => isLong || !isRoot || mode === 'overlay' || isolation === 'landlock',
);

/** What Landlock cannot prevent, with the sentence about it in previews and receipts. */
const UNKEPT: Readonly<Record<string, string>> = {
  chmod: 'Landlock does not prevent commands from changing mode',
  utime: 'Landlock does not prevent commands from changing mode',
  'see processes': 'Processes of this machine are visible',
  'change the priority of a process': 'limits and priorities',
  'connect to a Unix socket in the home': 'connections to Unix sockets',
  'connect to a Unix socket elsewhere': 'connections to Unix sockets',
};

function expectKept({ isolation, escaped, fallbacks, works, probes }: Escapes): void {
  expect(works).toBe(true);
  expect(probes).toBeGreaterThanOrEqual(50);
  if (isolation !== 'landlock') expect(escaped).toEqual([]);
  // Proof that the probe for sockets connects where it can.
  else expect(escaped).toContain('connect to a Unix socket elsewhere');
  for (const name of escaped) {
    expect(UNKEPT).toHaveProperty([name]);
    expect(fallbacks.join(' ')).toContain(UNKEPT[name]);
  }
}

describe.each(SANDBOXES)('no probe leaves $isolation, $mode', (sandbox) => {
  // Every kind of tree on every sandbox in the long suite; otherwise the kinds take turns.
  const kinds = isLong ? KINDS : [KINDS[SANDBOXES.indexOf(sandbox) % KINDS.length] ?? 'plain'];
  it.each(kinds)('of a tree of kind %s', async (kind) => {
    expectKept(await findEscapes(sandbox, kind));
  });
});

const ACCOUNT = 42_424;

describe.runIf(isRoot && isLong)('as an ordinary account', () => {
  const folder = mkdtempSync('/var/tmp/deed-escape-');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('no probe leaves any sandbox of this machine', async () => {
    const home = join(folder, 'home');
    mkdirSync(home);
    chownSync(folder, ACCOUNT, ACCOUNT);
    chownSync(home, ACCOUNT, ACCOUNT);
    const script = join(import.meta.dirname, '../../../../test/fixtures/processes/find-escapes.ts');
    const { stdout } = await promisify(execFile)(
      'setpriv',
      [
        `--reuid=${ACCOUNT}`,
        `--regid=${ACCOUNT}`,
        '--clear-groups',
        process.execPath,
        script,
        ...(isLong ? KINDS : ['worktree']),
      ],
      { env: { PATH: process.env.PATH, HOME: home, TMPDIR: folder }, maxBuffer: 10_000_000 },
    );
    const results = JSON.parse(stdout) as Escapes[];
    expect(results.length).toBeGreaterThan(0);
    for (const result of results) expectKept(result);
  });
});
