import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrphans } from '../fixtures/orphans.ts';
import { isAlive } from '../fixtures/real-processes.ts';
import { confirmed, createHome, deed, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { allowAnyAge } from '../fixtures/triage-environment.ts';

interface Candidate {
  readonly pid: number;
  readonly cmd_full: string;
  readonly recommended_action: string;
  readonly action_rationale: string;
  readonly vetoes: readonly { readonly veto: string; readonly reason: string }[];
}

/** These tests run on the processes of this machine and act on none. */
describe('users steer triage', () => {
  const home = createHome();
  let orphans: readonly number[] = [];
  const run = (...argv: string[]): Run => deed(['triage', ...argv], { home: home.path });
  const write = (...argv: string[]): Run => confirmed(['triage', ...argv], { home: home.path });
  const planned = (...argv: string[]): Candidate => {
    const { data } = run('plan', '--window', '100ms', '--limit', '1000', '--only', ALL, ...argv).envelope;
    const found = (data.candidates as Candidate[]).find(({ pid }) => pid === orphans[0]);
    if (found === undefined) throw new Error('the orphan is not in the plan');
    return found;
  };
  beforeAll(() => {
    allowAnyAge(home.path);
    orphans = startOrphans(1);
  });
  afterAll(() => {
    for (const pid of orphans) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    home.dispose();
  });

  it('--exclude plans no action for a process, by pid and by name', () => {
    expect(planned().recommended_action).toBe('kill');
    const byPid = planned('--exclude', String(orphans[0]));
    expect(byPid).toMatchObject({ recommended_action: 'spare' });
    expect(byPid.action_rationale).toContain('it was excluded from the plan');
    expect(planned('--exclude', 'mcp-server-*').recommended_action).toBe('spare');
    expect(planned('--exclude', 'another-program').recommended_action).toBe('kill');
  });

  it('a protected name is added to the built-in ones, has an effect at once, and can be removed', () => {
    const before = run('protect', 'list').envelope.data;
    expect(before.protected).toEqual([]);
    expect(before.built_in).toContain('sshd*');
    write('protect', 'add', 'mcp-server-*', '--reason', 'used by a test');
    const listed = run('protect', 'list').envelope.data;
    expect(listed.protected).toEqual([
      { name: 'mcp-server-*', reason: 'used by a test', added_at: expect.any(String) },
    ]);
    expect(listed.built_in).toEqual(before.built_in);
    const spared = planned();
    expect(spared.recommended_action).toBe('spare');
    expect(spared.action_rationale).toContain('its name is on the protected list');
    write('protect', 'remove', 'mcp-server-*');
    expect(planned().recommended_action).toBe('kill');
  });

  it('a name that is protected after the plan stops the apply', () => {
    const session = run('plan', '--window', '100ms').envelope.data.session_id as string;
    write('protect', 'add', 'mcp-server-*');
    const { data } = run(
      'apply',
      '--session',
      session,
      '--targets',
      String(orphans[0]),
      '--dry-run',
    ).envelope;
    expect(JSON.stringify(data)).toContain('its name is on the protected list');
    write('protect', 'remove', 'mcp-server-*');
  });

  it('a built-in name cannot be removed', () => {
    expect(run('protect', 'remove', 'sshd*', '--dry-run').envelope.error).toMatchObject({
      code: 'E_PROTECTED',
    });
    expect(run('protect', 'remove', 'nothing', '--dry-run').envelope.error).toMatchObject({
      code: 'E_NOT_FOUND',
    });
  });

  it('later plans use and name the feedback', () => {
    const pid = String(orphans[0]);
    write('feedback', pid, '--keep');
    const kept = planned();
    expect(kept.recommended_action).toBe('review');
    expect(kept.vetoes).toContainEqual({
      veto: 'feedback',
      reason: expect.stringContaining('a user marked this command as "keep"') as string,
    });
    const session = run('snapshot', '--window', '100ms').envelope.data.session_id as string;
    write('feedback', pid, '--gone', '--session', session);
    const gone = planned();
    expect(gone.vetoes).toEqual([]);
    expect(gone.action_rationale).toContain('a user marked this command as "gone"');
    expect(run('feedback', pid, '--dry-run').envelope.error).toMatchObject({ code: 'E_USAGE' });
  });

  it('a damaged file of decisions stops every plan and apply with a hint, and moving it away helps', () => {
    const session = run('plan', '--window', '100ms').envelope.data.session_id as string;
    write('protect', 'add', 'kept-program');
    const file = join(home.path, '.local/share/process_triage/steering.json');
    const whole = readFileSync(file, 'utf8');
    const calls = [
      ['plan', '--window', '100ms'],
      ['protect', 'list'],
      ['protect', 'add', 'another', '--dry-run'],
      ['feedback', String(orphans[0]), '--keep', '--dry-run'],
      ['apply', '--session', session, '--targets', String(orphans[0]), '--dry-run'],
    ];
    const damages = ['', whole.slice(0, -20), '[]', '{"protected":"all","feedback":[]}', '\0\0\0'];
    for (const [index, damage] of damages.entries()) {
      writeFileSync(file, damage);
      // Every call with every damage in the long suite; otherwise the calls take turns.
      for (const argv of calls.filter((_, at) => LONG || at === index)) {
        const { code, envelope } = run(...argv);
        expect([argv[0], envelope.ok, envelope.error?.code]).toEqual([argv[0], false, 'E_DAMAGED']);
        expect(code).not.toBe(0);
        expect(JSON.stringify(envelope.error)).toContain('steering.json');
        expect(JSON.stringify(envelope)).toContain('move it away');
      }
      if (LONG || index === 0) expect(run('sessions').envelope.data.total).toBeGreaterThan(0);
      // Nothing replaced it.
      expect(readFileSync(file, 'utf8')).toBe(damage);
    }
    renameSync(file, `${file}.damaged`);
    expect(run('protect', 'list').envelope.data.protected).toEqual([]);
    expect(planned().recommended_action).toBe('kill');
  });

  it('--port names what holds a port, and answers when it is free', async () => {
    const server: Server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { candidates } = run('plan', '--port', String(port), '--window', '100ms').envelope.data as {
      candidates: Candidate[];
    };
    expect(candidates).toEqual([
      expect.objectContaining({ pid: process.pid, recommended_action: 'spare' }) as Candidate,
    ]);
    server.close();
    await once(server, 'close');
    expect(run('plan', '--port', String(port), '--window', '100ms').envelope.error).toMatchObject({
      code: 'E_NOT_FOUND',
      message: `No process listens on TCP port ${port}.`,
    });
  });
});

const ALL = 'kill,pause,throttle,restart,review,spare';
