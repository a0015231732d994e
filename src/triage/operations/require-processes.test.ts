import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triageEnvironment } from '../../../test/fixtures/triage-environment.ts';
import { openTriage, type Triage, type TriageEnvironment } from '../triage.ts';

let folder = '';
let sessionId = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deed-no-processes-'));
  sessionId = (await triage({}).snapshot({ windowMs: 50 })).session_id;
});
afterAll(() => rmSync(folder, { recursive: true }));

const triage = (changes: Partial<TriageEnvironment>): Triage =>
  openTriage(triageEnvironment(join(folder, 'data'), changes));

const REQUEST = { policy: { requireKnownSignature: false }, resume: false, recommended: true };

/** Every operation that looks at processes or acts on them. */
const OPERATIONS: Readonly<Record<string, (on: Triage) => Promise<unknown>>> = {
  snapshot: (on) => on.snapshot({}),
  plan: (on) => on.plan({}),
  explain: (on) => on.explain({ targets: ['1'] }),
  preview: (on) => on.preview(sessionId, REQUEST),
  apply: (on) => on.apply(sessionId, REQUEST),
  verify: (on) => on.verify(sessionId),
  diff: (on) => on.diff(sessionId, undefined),
  watch: async (on) => on.watch({ intervalMs: 1, rounds: 1 })[Symbol.asyncIterator]().next(),
};

describe.each(Object.keys(OPERATIONS))('%s', (name) => {
  it('is refused on a platform without the means for it', async () => {
    await expect(async () => OPERATIONS[name]?.(triage({ platform: 'darwin' }))).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: 'Process triage works on Linux only; this is darwin.',
      hint: expect.stringContaining('Linux'),
    });
  });

  it('is refused where /proc is not mounted', async () => {
    const empty = join(folder, 'empty');
    await expect(async () => OPERATIONS[name]?.(triage({ procRoot: empty }))).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: `${empty} shows no processes, so there is nothing to judge.`,
      hint: expect.stringContaining('mount -t proc'),
    });
  });
});

it('sessions of elsewhere can still be read', async () => {
  const elsewhere = triage({ platform: 'darwin' });
  expect(await elsewhere.status(sessionId)).toMatchObject({ session_id: sessionId });
  expect((await elsewhere.sessions(10)).sessions).toHaveLength(1);
});
