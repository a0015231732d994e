import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMemoryDocuments } from '../../../test/fixtures/memory-documents.ts';
import { createWorkTree, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { blake3Hex } from '../../base/blake3.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Fleet } from './fleet.ts';
import { keepItemSessions } from './keep-session.ts';
import { putSessionPart, readSession, removeSession } from './session-records.ts';
import type { SharedDocuments } from './shared-documents.ts';

let tree: WorkTree;
let url: string;
let documents: SharedDocuments;
beforeEach(() => {
  tree = createWorkTree();
  url = join(tree.root, '../remote.git');
  execFileSync('git', ['clone', '-q', '--bare', tree.root, url]);
  documents = createMemoryDocuments();
});
afterEach(() => tree.dispose());

/** A workspace in which one file was created. */
function workspaceWith(text: string): Workspace {
  const after = { type: 'file', mode: 0o644, hash: blake3Hex(text), size: text.length } as const;
  const changes = [{ path: 'new.txt', action: 'create', type: 'file', after }];
  return {
    root: tree.root,
    diff: async () => ({ changes, ignored: 0, unsupported: [] }),
    readContent: () => [Buffer.from(text)],
  } as unknown as Workspace;
}

it('the session of a run that is tried again is kept like that of the first run', async () => {
  const place = {
    jobId: 'job_1',
    itemId: 'a',
    round: 0,
    attempt: 1,
    base: tree.git('rev-parse', 'HEAD').trim(),
  };
  const reports: string[] = [];
  const fleet = {
    queue: { documents },
    remote: { root: tree.root, url, workspace: tree.context },
    work: { home: join(tree.root, '../home/.deed'), clock: { now: Date.now } },
    report: (message: string) => void reports.push(message),
  } as unknown as Fleet;
  const sessions = keepItemSessions(fleet, place, undefined);
  for (const text of ['first\n', 'second\n']) {
    const run = { runId: 'run_1', item: {}, workspace: workspaceWith(text), env: {} };
    const keeper = sessions.open(run as never);
    await keeper.restore(() => undefined);
    await keeper.save([text], { isTreeChanged: true });
    const kept = await readSession(documents, place);
    expect([kept?.lines, reports]).toEqual([[text], []]);
    expect(execFileSync('git', ['show', `${kept?.tree?.commit}:new.txt`], { cwd: url }).toString()).toBe(
      text,
    );
  }
  await sessions.drop();
  expect(execFileSync('git', ['for-each-ref', 'refs/deed/sessions'], { cwd: url }).toString()).toBe('');
});

it('a worker that continues after its lease expired does not remove the session of a later attempt', async () => {
  const part = { jobId: 'job_1', itemId: 'a', round: 0, base: 'b'.repeat(40), number: 0, tree: null };
  await putSessionPart(documents, { ...part, attempt: 1, lines: ['1'] });
  await putSessionPart(documents, { ...part, attempt: 2, lines: ['2'] });
  await removeSession(documents, { ...part, attempt: 1 });
  expect(await readSession(documents, part)).toMatchObject({ attempt: 2, lines: ['2'] });
  // What is passed to git must be the id of a commit.
  await putSessionPart(documents, { ...part, attempt: 3, lines: ['3'], base: '--output=x' });
  expect(await readSession(documents, part)).toMatchObject({ attempt: 2 });
});
