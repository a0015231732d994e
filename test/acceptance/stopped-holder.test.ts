import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome, deedAsync, waitFor } from '../fixtures/run-deed.ts';
import { startVybe, vybe, vybeAsync, type VybeRun } from '../fixtures/run-vybe.ts';
import { firstLine, killNow, startScript } from '../fixtures/start-node.ts';

/** Much shorter than the waits for a holder that works. */
const BOUND_MS = 8000;

let home: ReturnType<typeof createHome>;
let holder: ChildProcess | undefined;
beforeEach(() => {
  home = createHome();
  expect(push('first').code).toBe(0);
});
afterEach(async () => {
  if (holder !== undefined) await killNow(holder);
  holder = undefined;
  home.dispose();
});

const argv = (id: string): string[] => {
  const json = JSON.stringify({ event: { kind: 'note', message: id } });
  return ['push', '--agent', 'a', '--request-id', id, '--json', json];
};
const push = (id: string): VybeRun => vybe(argv(id), { home: home.path, ownProcess: true });
async function timed<T>(action: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = performance.now();
  const result = await action();
  return { result, ms: performance.now() - startedAt };
}

/** The lines about writes that have begun. */
function auditLines(): readonly string[] {
  const folder = join(home.path, 'audit');
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.filter((line) => line.includes('"phase":"begin"'));
}

describe('a process that is stopped', () => {
  it('while it holds the audit lock neither blocks reads nor makes writes wait, and is named', async () => {
    holder = startScript('hold-lock', [join(home.path, 'audit', 'lock')]);
    await firstLine(holder);
    holder.kill('SIGSTOP');
    const read = await timed(() => deedAsync(['context'], { home: home.path }));
    expect([read.result.code, read.ms < BOUND_MS]).toEqual([0, true]);
    expect(read.result.stderr).toContain(`stopped process (pid ${holder.pid})`);
    const write = await timed(() => vybeAsync(argv('blocked'), { home: home.path }));
    expect(write.ms).toBeLessThan(BOUND_MS);
    expect(write.result.answer.error_code).toBe('E_TIMEOUT');
    expect(write.result.answer.error).toContain(`stopped process (pid ${holder.pid})`);
    expect(write.result.answer.error_context?.held_ms).toBeGreaterThan(0);
    holder.kill('SIGCONT');
    await killNow(holder);
    expect(push('blocked').code).toBe(0);
  });

  it.each(['write', 'exclusive'])(
    'while it holds the store (%s lock) does not block reads; writes name it',
    async (mode) => {
      holder = startScript('hold-store', [join(home.path, 'deed.db'), mode]);
      await firstLine(holder);
      holder.kill('SIGSTOP');
      const peek = await timed(() => vybeAsync(['resume', '--peek', '--agent', 'a'], { home: home.path }));
      expect([peek.result.code, peek.ms < BOUND_MS]).toEqual([0, true]);
      const list = await vybeAsync(['events', 'list', '--all'], { home: home.path });
      expect(list.answer.data.events.map(({ message }: { message: string }) => message)).toEqual(['first']);
      const check = await timed(() => deedAsync(['store', 'check'], { home: home.path }));
      expect([check.result.envelope.error, check.ms < BOUND_MS]).toEqual([undefined, true]);
      const doctor = await timed(() => deedAsync(['doctor'], { home: home.path }));
      const found = doctor.result.envelope.data.checks.find(
        ({ check: name }: { check: string }) => name === 'store',
      );
      expect([found.status, found.fix, doctor.ms < BOUND_MS]).toEqual([
        'warn',
        `kill -CONT ${holder.pid}`,
        true,
      ]);
      const write = await timed(() => vybeAsync(argv('blocked'), { home: home.path }));
      expect(write.ms).toBeLessThan(BOUND_MS);
      expect([write.result.answer.error_code, write.result.answer.error_context?.holder_pid]).toEqual([
        'E_TIMEOUT',
        String(holder.pid),
      ]);
      await killNow(holder);
      holder = undefined;
      expect(push('blocked').code).toBe(0);
    },
  );

  it('while it waits for its turn is skipped', async () => {
    const writers = join(home.path, 'writers');
    const waiting = (): number => (existsSync(writers) ? readdirSync(writers).length : 0);
    const begun = (id: string): number => auditLines().filter((line) => line.includes(id)).length;
    const database = new DatabaseSync(join(home.path, 'deed.db'));
    database.exec('BEGIN IMMEDIATE');
    const stopped = [1, 2, 3].map((id) => startVybe(argv(`stopped${id}`), { home: home.path }));
    // Two of them have their turn. They hold no lock once they have written their line to the audit log.
    while (waiting() < stopped.length || begun('stopped') < 2) await delay(5);
    await delay(50);
    for (const child of stopped) child.kill('SIGSTOP');
    database.exec('ROLLBACK');
    database.close();
    const others = await Promise.all(
      [1, 2, 3].map((id) => timed(() => vybeAsync(argv(`other${id}`), { home: home.path }))),
    );
    for (const child of stopped) child.kill('SIGCONT');
    for (const { ms, result } of others)
      expect([result.code, result.answer.error, ms < BOUND_MS]).toEqual([0, undefined, true]);
    await Promise.all(stopped.map((child) => waitFor(child)));
    expect(push('last').code).toBe(0);
    expect(waiting()).toBe(0);
  });
});
