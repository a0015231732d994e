import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PlanDocument } from '../plan-document.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import { openSessionStore, type SessionStore } from '../session/session-store.ts';
import type { TriageSession } from '../session/session.ts';
import { concludeBatch } from './conclude-apply.ts';
import { sessionStatus } from './session-status.ts';
import type { TriageContext } from './triage-context.ts';

let root = '';
let store: SessionStore;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'deed-triage-'));
  store = openSessionStore(root, Date.now);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const actions: PlanDocument['actions'] = [1, 2].map((pid) => ({
  target: { pid, start_id: `1.${pid}` },
  action: 'kill',
  stage: 1,
  gates: [],
}));

function entryOf(pid: number, outcome: OutcomeEntry['outcome']): OutcomeEntry {
  const target = { pid, start_id: `1.${pid}`, startTicks: pid };
  const times = { startedAt: '2026-01-15T14:30:22Z', durationMs: 1 };
  return { target, action: 'kill', stage: 1, progress: 'done', outcome, reason: '', gates: [], ...times };
}

/** A triage session whose apply skipped the first action because of a gate, and then reached its time limit. */
function interrupted(first: OutcomeEntry): TriageSession {
  const session = store.create({ host_id: 'box', boot_id: 'boot', uid: 1000 });
  session.write('plan.json', { actions } as unknown as PlanDocument);
  session.write('outcomes.json', { session_id: session.id, entries: [first] });
  for (const state of ['planned', 'approved', 'executing', 'interrupted'] as const) session.advance(state);
  return session;
}

const statusOf = (session: TriageSession) =>
  sessionStatus({ environment: { program: 'pt agent' } } as unknown as TriageContext, session);

test('an action that a gate skipped is pending until the apply has finished, in the status as in the answer of apply', async () => {
  const skipped = entryOf(1, 'skipped');
  const session = interrupted(skipped);
  const progress = { total_actions: 2, completed_actions: 0, pending_actions: 2 };
  expect(await statusOf(session)).toMatchObject({ state: 'interrupted', progress });
  for (const [entries, pending] of [
    [[], actions],
    [[skipped], actions.slice(1)],
  ] as const)
    expect(() =>
      concludeBatch({ result: 'timeout', entries, pending, resumeCommand: 'pt agent apply --resume' }),
    ).toThrow(expect.objectContaining({ details: expect.objectContaining({ progress }) as object }) as Error);
  session.write('outcomes.json', { session_id: session.id, entries: [skipped, entryOf(2, 'success')] });
  session.advance('executing');
  session.advance('completed');
  expect((await statusOf(session)).progress).toEqual({
    total_actions: 2,
    completed_actions: 2,
    pending_actions: 0,
  });
});

test('an action that succeeded is completed in an interrupted apply', async () => {
  expect((await statusOf(interrupted(entryOf(1, 'success')))).progress).toEqual({
    total_actions: 2,
    completed_actions: 1,
    pending_actions: 1,
  });
});
