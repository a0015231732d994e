import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { assertHidesState } from './exposes-state.ts';

const folder = mkdtempSync(join(tmpdir(), 'deed-state-'));
const home = join(folder, 'home');
const triage = join(home, '.local/share/process_triage');
for (const path of ['.deed/keys', '.deed/bin', '.local/share/process_triage/sessions', '.local/bin', 'own'])
  mkdirSync(join(home, path), { recursive: true });
symlinkSync(home, join(folder, 'link'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const context = { accountHome: home, deedHome: join(home, '.deed'), stateFolders: [triage] };
const reject = (path: string): void => assertHidesState(context, [join(home, 'own'), path]);

it.each([
  '',
  '.deed',
  '.deed/keys',
  '.deed/confirm.secret',
  '.local',
  '.local/share/process_triage/sessions',
])('an agent cannot have the path ~/%s, which shows state of deed', (name) => {
  expect(() => reject(join(home, name))).toThrow(expect.objectContaining({ code: 'E_CONFIG' }));
  expect(() => reject(join(folder, 'link', name))).toThrow(/keys and state of deed/u);
});

it.each(['own', '.deed/bin', '.local/bin', '.local/share/other'])(
  'an agent can have the path ~/%s',
  (name) => {
    expect(() => reject(join(home, name))).not.toThrow();
  },
);

it('with the home of the account as the home of deed, an agent can have folders in it but not all of it', () => {
  const same = { accountHome: home, deedHome: home };
  expect(() => assertHidesState(same, [join(home, 'own')])).not.toThrow();
  expect(() => assertHidesState(same, [home])).toThrow(/keys and state of deed/u);
});
