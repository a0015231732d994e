import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMemoryDocuments } from '../../../test/fixtures/memory-documents.ts';
import { createWorkTree, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { blake3Hex } from '../../system/blake3.ts';
import type { SessionKeeper } from '../executors/session-keeper.ts';
import { swapRefs } from '../workspace/remote/remote-refs.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Fleet } from './fleet.ts';
import { keepItemSessions } from './keep-session.ts';
import { putSessionPart, readKeptSession, removeSession, type KeptSession } from './session-records.ts';
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

/** A workspace in which a test creates files. */
function createWorkspace(files: Record<string, string>): Workspace {
  const created = ([path, text]: [string, string]) => ({
    path,
    action: 'create',
    type: 'file',
    after: { type: 'file', mode: 0o644, hash: blake3Hex(text), size: text.length },
  });
  return {
    root: tree.root,
    diff: async () => ({ changes: Object.entries(files).map(created), ignored: 0, unsupported: [] }),
    readContent: (path: string) => [Buffer.from(files[path] ?? '')],
  } as unknown as Workspace;
}

function keepSessions() {
  const base = tree.git('rev-parse', 'HEAD').trim();
  const place = { jobId: 'job_1', itemId: 'a', round: 0, attempt: 1, base };
  const reports: string[] = [];
  const fleet = {
    queue: { documents },
    remote: { root: tree.root, url, workspace: tree.context },
    work: { home: join(tree.root, '../home/.deed'), clock: { now: Date.now } },
    report: (message: string) => void reports.push(message),
  } as unknown as Fleet;
  const sessions = keepItemSessions(fleet, place, undefined);
  const start = async (files: Record<string, string>): Promise<SessionKeeper> => {
    const run = { runId: 'run_1', item: {}, workspace: createWorkspace(files), env: {} };
    const keeper = sessions.open(run as never);
    await keeper.restore(() => undefined);
    return keeper;
  };
  return { fleet, place, sessions, reports, start };
}

const textsOf = (kept: KeptSession | undefined): string[] =>
  Object.values(kept?.contents ?? {}).map((text) => Buffer.from(text, 'base64').toString());
const sessionRefs = (): string =>
  execFileSync('git', ['for-each-ref', 'refs/deed/sessions'], { cwd: url }).toString();

it('the session of a run that is tried again is kept like that of the first run', async () => {
  const { place, reports, start, sessions } = keepSessions();
  for (const text of ['first\n', 'second\n']) {
    const keeper = await start({ 'new.txt': text });
    await keeper.save([text], { isTreeChanged: true });
    const kept = await readKeptSession(documents, place);
    expect([kept?.lines, textsOf(kept), reports]).toEqual([[text], [text], []]);
  }
  // Small files need no commit.
  expect([sessionRefs(), sessions.endOfRef()]).toEqual(['', []]);
  await sessions.drop();
  expect(await readKeptSession(documents, place)).toBeUndefined();
});

it('a large file of a session is in a commit, and the push of the result deletes its ref', async () => {
  const { fleet, place, start, sessions } = keepSessions();
  const files: Record<string, string> = { 'small.txt': 'small' };
  const keeper = await start(files);
  await keeper.save(['1'], { isTreeChanged: true });
  files['big.txt'] = 'x'.repeat(100_000);
  await keeper.save(['2'], { isTreeChanged: true });
  files['small.txt'] = 'other';
  await keeper.save(['3'], { isTreeChanged: true });
  const kept = await readKeptSession(documents, place);
  expect([kept?.lines, textsOf(kept)]).toEqual([
    ['1', '2', '3'],
    ['small', 'other'],
  ]);
  const inCommit = execFileSync('git', ['show', `${kept?.tree?.commit}:big.txt`], { cwd: url });
  expect(inCommit.toString()).toBe(files['big.txt']);
  expect(await swapRefs(tree.context, fleet.remote, sessions.endOfRef())).toBe(true);
  expect(sessionRefs()).toBe('');
});

it('a worker that continues after its lease expired does not remove the session of a later attempt', async () => {
  const part = { jobId: 'job_1', itemId: 'a', round: 0, base: 'b'.repeat(40), number: 0, tree: null };
  await putSessionPart(documents, { ...part, attempt: 1, lines: ['1'] });
  await putSessionPart(documents, { ...part, attempt: 2, lines: ['2'] });
  await removeSession(documents, { ...part, attempt: 1 });
  expect(await readKeptSession(documents, part)).toMatchObject({ attempt: 2, lines: ['2'] });
  // What is passed to git must be the id of a commit.
  await putSessionPart(documents, { ...part, attempt: 3, lines: ['3'], base: '--output=x' });
  expect(await readKeptSession(documents, part)).toMatchObject({ attempt: 2 });
});
