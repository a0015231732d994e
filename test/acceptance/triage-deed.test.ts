import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaProblems } from '../fixtures/check-envelope.ts';
import { startOrphans } from '../fixtures/orphans.ts';
import { isAlive } from '../fixtures/real-processes.ts';
import { allowAnyAge } from '../fixtures/triage-environment.ts';
import { createHome, deed, type Run } from '../fixtures/run-deed.ts';

/**
 * These tests run on the processes of this machine, so they act only on named targets: orphans that the suite itself has started.
 */
describe('triage under deed', () => {
  const home = createHome();
  const uid = String(process.getuid?.() ?? 0);
  let orphans: readonly number[] = [];
  let session = '';
  const run = (...argv: string[]): Run => deed(['triage', ...argv], { home: home.path });
  const target = (index: number): string => String(orphans[index]);
  beforeAll(() => {
    allowAnyAge(home.path);
    orphans = startOrphans(3);
    session = run('snapshot', '--window', '100ms', '--uid', uid).envelope.data.session_id as string;
  });
  afterAll(() => {
    for (const pid of orphans) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    home.dispose();
  });

  it('plans from a session with all expansions, matching its schema', () => {
    const { output } = deed(['reference', '--schema', '--command', 'triage plan']).envelope.data.json_schemas[
      'triage plan'
    ] as { output: object };
    const whole = run(
      'plan',
      '--session',
      session,
      '--only',
      'kill,review',
      '--limit',
      '500',
      '--verbose',
      '--include-prose',
      '--prose-style',
      'technical',
      '--galaxy-brain',
      '--include-raw',
      '--include-ledger',
    );
    expect(whole.envelope.error).toBeUndefined();
    expect(schemaProblems(whole.envelope.data, output)).toEqual([]);
    const pids = whole.envelope.data.candidates.map(({ pid }: { pid: number }) => pid);
    expect(pids).toEqual(expect.arrayContaining([...orphans]));
    expect(whole.envelope.data._untrusted).toContain('candidates[].cmd_full');
  });

  it('plans from a new snapshot, and compares with an earlier session', () => {
    const { data } = run('plan', '--since', session, '--window', '100ms', '--uid', uid).envelope;
    expect(data.since.session_id).toBe(session);
    const shown = data.candidates.map(({ pid }: { pid: number }) => pid);
    expect(shown).not.toContain(orphans[0]);
    expect(
      run('plan', '--session', session, '--fields', 'candidates[].pid,summary').envelope.data.candidates[0],
    ).toHaveProperty('pid');
  });

  it('explains suspects and other processes', () => {
    const { data } = run(
      'explain',
      target(0),
      '--session',
      session,
      '--include-prose',
      '--prose-style',
      'terse',
      '--galaxy-brain',
      '--include-raw',
    ).envelope;
    expect(data.candidates[0]).toMatchObject({ pid: orphans[0], recommended_action: 'kill' });
    expect(data.galaxy_brain.cards.length).toBe(7);
    const own = run('explain', '--targets', String(process.pid)).envelope.data;
    expect(own.candidates[0]).toMatchObject({ pid: process.pid, exemption: 'ancestor' });
    expect(run('explain', `${target(0)}:1.1`, '--session', session).envelope.error?.code).toBe(
      'E_IDENTITY_MISMATCH',
    );
  });

  it('shows how to restart a process, with only its passwords masked', () => {
    const commands = [
      [['curl', '-u', 'user:password', 'https://host/a b'], "curl -u 'user:[REDACTED]' 'https://host/a b'"],
      [['smbclient', '-U', 'user%password', '//host/share'], "smbclient -U 'user%[REDACTED]' //host/share"],
      [['mysql', '-pSECRET', 'shop'], "mysql '-p[REDACTED]' shop"],
      [['sshpass', '-p', 'x', 'ssh', '-p', '22', 'host'], "sshpass -p '[REDACTED]' ssh -p 22 host"],
      [['env', 'PGPASSWORD=x', 'psql'], "env 'PGPASSWORD=[REDACTED]' psql"],
      [['open', 'https://host/cb?code=200&lang=en'], "open 'https://host/cb?code=200&lang=en'"],
    ] as const;
    const started = commands.map(([args]) => spawn('node', ['-e', 'setInterval(() => {}, 1000)', ...args]));
    try {
      const pids = started.map(({ pid }) => String(pid));
      const { data } = run('explain', '--targets', pids.join(',')).envelope;
      const shown = (
        data.candidates as { pid: number; reversibility: { recovery_options: string[] } }[]
      ).toSorted((a, b) => pids.indexOf(String(a.pid)) - pids.indexOf(String(b.pid)));
      for (const [index, [, expected]] of commands.entries())
        expect(shown[index]?.reversibility.recovery_options[0]).toContain(
          `'setInterval(() => {}, 1000)' ${expected}`,
        );
    } finally {
      for (const child of started) child.kill('SIGKILL');
    }
  });

  it('acts only with the token of a dry run and --dangerous', () => {
    const apply = [
      'apply',
      '--max-plan-age',
      '10m',
      '--session',
      session,
      '--targets',
      target(0),
      '--min-posterior',
      '0.95',
      '--max-blast-radius',
      '1GB',
      '--max-kills',
      '5',
      '--require-known-signature',
      '--grace',
      '10s',
      '--timeout',
      '60s',
      '--uid',
      uid,
    ];
    expect(run(...apply).code).toBe(5);
    const preview = run(...apply, '--dry-run').envelope.data;
    expect(preview.preview.changes[0]).toMatchObject({
      action: 'kill',
      resource: 'process',
      after: { would_run: true },
    });
    expect(run(...apply, '--confirm', preview.confirm_token).envelope.error?.code).toBe(
      'E_CONFIRMATION_REQUIRED',
    );
    expect(isAlive(orphans[0] ?? 0)).toBe(true);
    const done = run(...apply, '--confirm', preview.confirm_token, '--dangerous').envelope;
    expect(done.data?.summary).toMatchObject({ total: 1, successful: 1 });
    expect(isAlive(orphans[0] ?? 0)).toBe(false);
    expect(run(...apply, '--confirm', preview.confirm_token, '--dangerous').envelope.error?.code).toBe(
      'E_CONFLICT',
    );
  });

  it('rejects the token when the process has changed, and previews recommended actions', () => {
    const apply = ['apply', '--session', session, '--targets', target(1), '--resume', '--max-kills', '9'];
    const { confirm_token } = run(...apply, '--dry-run').envelope.data as { confirm_token: string };
    process.kill(orphans[1] ?? 0, 'SIGKILL');
    const refused = run(...apply, '--confirm', confirm_token, '--dangerous');
    expect([refused.code, refused.envelope.error?.code]).toEqual([6, 'E_CONFLICT']);
    // Only a dry run: other processes of this machine may be recommended too.
    expect(run('apply', '--session', session, '--recommended', '--dry-run').code).toBe(0);
    expect(run('apply', '--session', session, '--targets', '1', '--dry-run').envelope.error?.code).toBe(
      'E_PROTECTED',
    );
  });

  it('verifies, compares, exports, reports, lists and watches', () => {
    const { action_outcomes } = run('verify', '--session', session).envelope.data;
    expect(action_outcomes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['confirmed_dead']);
    const other = run('snapshot', '--window', '50ms').envelope.data.session_id as string;
    const { ended } = run('diff', '--session', session, '--against', other).envelope.data;
    expect(ended.map(({ pid }: { pid: number }) => pid)).toContain(orphans[0]);
    expect(run('status', '--session', session).envelope.data.state).toBe('verified');
    expect(run('sessions', '--limit', '1').envelope.data.sessions.length).toBe(1);
    expect(run('export', '--session', session).envelope.data.documents.length).toBe(3);
    expect(run('report', '--session', session, '--format', 'raw').stdout).toMatch(/^<!doctype html>/u);
    expect(run('capabilities').envelope.data.platform.pidfd).toBe(true);
    const lines = run(
      'watch',
      '--rounds',
      '1',
      '--interval',
      '10ms',
      '--only',
      'kill',
      '--window',
      '50ms',
      '--uid',
      uid,
    )
      .stdout.trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type).slice(-2)).toEqual([
      'item',
      'summary',
    ]);
  });

  it.each([
    [['snapshot', '--uid', '-1'], 'E_VALIDATION'],
    [['capabilities', '--odd'], 'E_USAGE'],
    [['plan', '--since', 'nope', '--window', '50ms'], 'E_NOT_FOUND'],
    [['sessions', '--limit', 'x'], 'E_VALIDATION'],
  ])('%j fails with %s', (argv, code) => {
    expect(run(...argv).envelope.error?.code).toBe(code);
  });

  it('uses the configured parameters file, and rejects an invalid one', () => {
    const own = createHome();
    mkdirSync(own.path, { recursive: true });
    const configure = (text: string): Run => {
      writeFileSync(
        join(own.path, 'config.json'),
        JSON.stringify({ 'triage.parameters_file': join(own.path, 'p.json') }),
      );
      writeFileSync(join(own.path, 'p.json'), text);
      return deed(['triage', 'capabilities'], { home: own.path });
    };
    expect(configure('{"thresholds":{"kill":0.99}}').envelope.data.parameters_version).toMatch(/\+local$/u);
    expect(configure('{"thresholds":{"kil":0.99}}').envelope.error?.code).toBe('E_CONFIG');
    expect(configure('{').envelope.error?.code).toBe('E_CONFIG');
    own.dispose();
  });
});
