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

/** All operations that read or change processes. */
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
  it('fails on a platform other than Linux', async () => {
    await expect(async () => OPERATIONS[name]?.(triage({ platform: 'darwin' }))).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: 'Process triage requires Linux; this is darwin.',
      hint: expect.stringContaining('Linux'),
    });
  });

  it('fails where /proc is not mounted', async () => {
    const empty = join(folder, 'empty');
    await expect(async () => OPERATIONS[name]?.(triage({ procRoot: empty }))).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: `${empty} contains no processes.`,
      hint: expect.stringContaining('mount -t proc'),
    });
  });
});

it('stored triage sessions can be read on any platform', async () => {
  const other = triage({ platform: 'darwin' });
  expect(await other.status(sessionId)).toMatchObject({ session_id: sessionId });
  expect((await other.sessions(10)).sessions).toHaveLength(1);
});
