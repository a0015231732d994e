import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../fixtures/run-deed.ts';

describe('the library of triage', () => {
  it('takes snapshots, plans and describes itself without the command line', () => {
    const root = mkdtempSync(join(tmpdir(), 'deed-library-'));
    const program = `
      import { openMachine, openTriage } from 'deed-cli/triage';
      const triage = openTriage(openMachine({ dataRoot: ${JSON.stringify(root)} }));
      const { session_id } = await triage.snapshot({ windowMs: 50 });
      const { summary } = await triage.plan({ session: session_id });
      const { state } = await triage.status(session_id);
      const { platform } = await triage.capabilities('');
      console.log(JSON.stringify({ scanned: summary.total_scanned > 0, state, pidfd: platform.pidfd }));`;
    const { stdout, stderr } = spawnSync(
      join(ROOT, 'node_modules/.bin/node'),
      ['--input-type=module', '-e', program],
      { cwd: ROOT, encoding: 'utf8' },
    );
    rmSync(root, { recursive: true, force: true });
    expect([stdout.trim(), stderr]).toEqual(['{"scanned":true,"state":"planned","pidfd":true}', '']);
  });
});
