import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Documents } from './session.ts';
import { openSessionStore, RETENTION_MS, type SessionStore } from './session-store.ts';
import { nextState, SESSION_STATES, type TriageSessionState } from './session-state.ts';

const FACTS = { host_id: 'box', boot_id: 'boot', uid: 1000 };
/** The content of documents does not matter here. */
const any = (value: object): Documents['plan.json'] & Documents['snapshot.json'] => value as never;
const AT = Date.parse('2026-01-15T14:30:22.500Z');

let root = '';
let now = AT;
let store: SessionStore;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'deed-triage-'));
  now = AT;
  store = openSessionStore(root, () => now);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a triage session', () => {
  it('has an id of its time and six random characters, and the files of the contract', () => {
    const session = store.create(FACTS);
    expect(session.id).toMatch(/^sess-20260115-143022-[a-z0-9]{6}$/u);
    session.write('snapshot.json', any({}));
    session.write('plan.json', any({ a: 1 }));
    session.write('outcomes.json', { session_id: session.id, entries: [] });
    session.audit('tested');
    expect(readdirSync(join(root, 'sessions', session.id)).sort()).toEqual([
      'audit.count.json',
      'audit.jsonl',
      'manifest.json',
      'outcomes.json',
      'plan.json',
      'snapshot.json',
      'telemetry',
    ]);
    expect(statSync(join(root, 'sessions', session.id)).mode & 0o077).toBe(0);
    expect(statSync(join(root, 'sessions', session.id, 'plan.json')).mode & 0o077).toBe(0);
  });

  it('reads back what was written, including empty documents', () => {
    const session = store.create(FACTS);
    for (const document of [{}, { a: { 10: 'x', 2: 'y' }, b: [1, null] }, { seal_like: 'seal' }]) {
      session.write('plan.json', any(document));
      expect(session.read('plan.json')).toEqual(document);
    }
    expect(session.read('outcomes.json')).toBeUndefined();
    expect(() => session.require('outcomes.json')).toThrow('has no outcomes.json');
  });

  it.each([
    ['a changed byte', (text: string) => text.replace('"pid":7', '"pid":8')],
    ['a truncated end', (text: string) => text.slice(0, -20)],
    ['a removed seal', (text: string) => text.replace(/,"seal":"[0-9a-f]+"/u, '')],
    ['another seal', (text: string) => text.replace(/"seal":"[0-9a-f]{8}/u, '"seal":"00000000')],
    ['invalid JSON', () => 'x'],
  ])('rejects a document with %s', (_what, change) => {
    const session = store.create(FACTS);
    session.write('plan.json', any({ pid: 7 }));
    const path = join(session.folder, 'plan.json');
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    expect(() => session.read('plan.json')).toThrow(expect.objectContaining({ code: 'E_DAMAGED' }) as Error);
  });

  it('rejects a document copied from another session or from another document', () => {
    const [one, two] = [store.create(FACTS), store.create(FACTS)];
    one.write('plan.json', any({ of: 'one' }));
    cpSync(join(one.folder, 'plan.json'), join(two.folder, 'plan.json'));
    cpSync(join(one.folder, 'plan.json'), join(one.folder, 'snapshot.json'));
    const tampered = expect.objectContaining({ code: 'E_DAMAGED' }) as Error;
    expect(() => two.read('plan.json')).toThrow(tampered);
    expect(() => one.read('snapshot.json')).toThrow(tampered);
  });

  it('allows only the state transitions of the contract', () => {
    const session = store.create(FACTS);
    const states: TriageSessionState[] = [
      'planned',
      'approved',
      'executing',
      'interrupted',
      'executing',
      'completed',
      'verified',
    ];
    for (const state of states) expect(session.advance(state).state).toBe(state);
    expect(session.readAudit().map(({ to }) => to)).toEqual(states);
    const steps = SESSION_STATES.flatMap((from) =>
      SESSION_STATES.filter((to) => {
        try {
          nextState('s', from, to);
          return true;
        } catch {
          return false;
        }
      }).map((to) => `${from}→${to}`),
    );
    expect(steps).toEqual([
      'created→planned',
      'planned→approved',
      'approved→approved',
      'approved→executing',
      'executing→executing',
      'executing→interrupted',
      'executing→completed',
      'interrupted→executing',
      'completed→executing',
      'completed→verified',
      'verified→executing',
      'verified→verified',
    ]);
  });

  it('is locked by one process at a time; a second one fails without waiting', async () => {
    const session = store.create(FACTS);
    let release = (): void => undefined;
    const first = session.exclusively(() => new Promise<void>((resolve) => (release = resolve)));
    await expect(session.exclusively(async () => 1)).rejects.toMatchObject({ code: 'E_CONFLICT' });
    release();
    await first;
    await expect(session.exclusively(async () => 2)).resolves.toBe(2);
  });

  it('passes on errors of the locked function', async () => {
    const session = store.create(FACTS);
    await expect(
      session.exclusively(() => Promise.reject(Object.assign(new Error('x'), { code: 'E_TIMEOUT' }))),
    ).rejects.toThrow('x');
  });
});

describe('the session store', () => {
  it('distinguishes unknown from expired sessions, and deletes expired ones', () => {
    const { id } = store.create(FACTS);
    expect(() => store.open('sess-20260115-143022-zzzzzz')).toThrow(
      expect.objectContaining({ code: 'E_NOT_FOUND' }) as Error,
    );
    expect(() => store.open('../../etc')).toThrow(expect.objectContaining({ code: 'E_NOT_FOUND' }) as Error);
    now = AT + RETENTION_MS + 1000;
    const expired = expect.objectContaining({ code: 'E_SESSION_EXPIRED' }) as Error;
    expect(() => store.open(id)).toThrow(expired);
    expect(store.list()).toEqual([]);
    expect(store.expire()).toBe(1);
    expect(readdirSync(join(root, 'sessions'))).toEqual([]);
    expect(() => store.open(id)).toThrow(expired);
  });

  it('keeps expired sessions from before the first one of this version', () => {
    const earlier = 'sess-20250101-120000-abcdef';
    mkdirSync(join(root, 'sessions', earlier), { recursive: true });
    expect(store.expire()).toBe(0);
    store.create(FACTS);
    now = AT + RETENTION_MS + 1000;
    expect(store.expire()).toBe(1);
    expect(readdirSync(join(root, 'sessions'))).toEqual([earlier]);
    expect(store.expired()).toEqual([earlier]);
  });

  it('lists the newest first and creates no files before the first session', () => {
    expect([store.list(), readdirSync(root)]).toEqual([[], []]);
    const first = store.create(FACTS).id;
    now += 2000;
    const second = store.create(FACTS).id;
    expect(store.list()).toEqual([second, first]);
  });
});
