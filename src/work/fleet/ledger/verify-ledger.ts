import { Fault } from '../../../base/fault.ts';
import type { Trust } from '../../receipt/keyring.ts';
import { isShallow, listHistory } from '../../workspace/remote/commit-history.ts';
import { readFiles } from '../../workspace/remote/document-commit.ts';
import { fetchRefs, listRefs } from '../../workspace/remote/remote-refs.ts';
import { branchRef } from '../../workspace/landing/read-branch.ts';
import { verifyBranch, type BranchReport } from './verify-branch.ts';
import {
  createEntryChecks,
  type EntryChecks,
  type LedgerProblem,
  type SignerReport,
} from './verify-entries.ts';
import {
  APPROVAL_FILE,
  assertNotRewound,
  ENTRY_FILE,
  fetchLedger,
  keepLedger,
  LEDGER_REF,
  RECEIPT_FILE,
  type LedgerPlace,
} from './read-ledger.ts';
import { readSeen, rememberLedger } from './seen-ledger.ts';

export interface LedgerReport {
  readonly commit: string;
  readonly entries: number;
  readonly branches: readonly BranchReport[];
  readonly signers: readonly SignerReport[];
  /** What does not count as damage, but matters to the reader. */
  readonly notices: readonly string[];
  readonly problems: readonly LedgerProblem[];
}

/** Entries are read with one process for this many, so that a long ledger does not fill the memory. */
const CHUNK = 1000;
const MAX_TRIES = 3;

/**
 * Verifies the whole ledger of a remote with nothing but trusted keys: every entry, its receipt, their chain, and that each promoted commit is on
 * its branch, in order. Remembers the last entry, so that a ledger that is rewound later is noticed.
 */
export async function verifyLedger(place: LedgerPlace): Promise<LedgerReport> {
  const { workspace, root } = place.remote;
  if (await isShallow(workspace, root)) throw tooShallow(root);
  for (let tries = 1; ; tries += 1) {
    const report = await verifyOnce(place);
    const isClean = report.problems.length === 0 && report.branches.every(({ others }) => others === 0);
    // An integrator may have landed something between the reads of the ledger and of the branch.
    if (isClean || tries === MAX_TRIES || (await readTip(place)) === report.commit) return report;
  }
}

async function readTip({ remote }: LedgerPlace): Promise<string | undefined> {
  return (await listRefs(remote.workspace, remote, [LEDGER_REF])).get(LEDGER_REF);
}

async function verifyOnce(place: LedgerPlace): Promise<LedgerReport> {
  const { remote, home } = place;
  // Read before the remote, because another process of this home may append meanwhile.
  const seen = readSeen(home, remote.url);
  const tip = await readTip(place);
  if (tip === undefined) {
    assertNotRewound(place, seen, { follows: false, now: 'it was deleted' });
    throw noLedger(remote.url);
  }
  await fetchLedger(remote, tip);
  const checks = createEntryChecks(place.trust);
  const commits = await checkEntries(place, tip, checks);
  if (seen !== undefined) {
    const found = commits[seen.sequence - 1];
    const now = `entry ${seen.sequence} is ${found?.slice(0, 10) ?? 'missing'}`;
    assertNotRewound(place, seen, { follows: found === seen.commit, now });
  }
  const branches = await verifyBranches(place, checks);
  const { notices, problems, signers } = checks;
  if (problems.length === 0) {
    await keepLedger(remote, tip);
    await rememberLedger(home, remote.url, { commit: tip, sequence: commits.length });
  }
  return { commit: tip, entries: commits.length, branches, signers: signers(), notices, problems };
}

/** Checks the chain of commits and every entry. Returns the commits, oldest first. */
async function checkEntries(
  place: LedgerPlace,
  tip: string,
  checks: EntryChecks,
): Promise<readonly string[]> {
  const { workspace, root } = place.remote;
  const history = await listHistory(workspace, root, { tip });
  for (const [index, { id, parents }] of history.entries())
    if (parents.length > 1 || parents[0] !== history[index - 1]?.id)
      checks.report(index + 1, id, 'does not follow the entry before it: the ledger is not a chain');
  const commits = history.map(({ id }) => id);
  for (let start = 0; start < commits.length; start += CHUNK)
    await checkChunk(place, commits.slice(start, start + CHUNK), checks);
  const last = checks.promotions.at(-1);
  // An earlier entry with a retired key is valid, because the integrator of the next entry accepted it. After this one, nothing can be appended.
  if (last?.entry === commits.length && isRetired(place.trust, last.promotion.integrator_key_id))
    checks.report(last.entry, last.commit, 'is the last one, and its key is retired', last.promotion);
  return commits;
}

/** Checks the branches that entries name. They are read after the ledger, so they have what its entries name. */
async function verifyBranches(
  { remote }: LedgerPlace,
  checks: EntryChecks,
): Promise<readonly BranchReport[]> {
  const refs = await listRefs(remote.workspace, remote, ['refs/heads/*']);
  const byBranch = Map.groupBy(checks.promotions, ({ promotion }) => promotion.branch);
  const known = [...byBranch.keys()].map(branchRef).filter((ref) => refs.has(ref));
  await fetchRefs(remote.workspace, remote, known);
  const branches: BranchReport[] = [];
  for (const [branch, entries] of byBranch)
    branches.push(await verifyBranch(remote, { branch, tip: refs.get(branchRef(branch)), entries }, checks));
  return branches;
}

async function checkChunk(
  { remote }: LedgerPlace,
  commits: readonly string[],
  checks: EntryChecks,
): Promise<void> {
  const names = commits.flatMap((commit) =>
    [ENTRY_FILE, RECEIPT_FILE, APPROVAL_FILE].map((file) => `${commit}:${file}`),
  );
  const texts = await readFiles(remote.workspace, remote.root, names);
  for (const commit of commits)
    checks.add(commit, {
      entry: texts.get(`${commit}:${ENTRY_FILE}`) ?? '',
      receipt: texts.get(`${commit}:${RECEIPT_FILE}`) ?? '',
      approval: texts.get(`${commit}:${APPROVAL_FILE}`) ?? '',
    });
}

function isRetired({ integrators, retired }: Trust, keyId: string): boolean {
  const has = (keys: Trust['retired']): boolean => keys.some((key) => key.keyId === keyId);
  return has(retired) && !has(integrators);
}

function tooShallow(root: string): Fault {
  return new Fault('E_CONFIG', `${root} is a shallow clone: it does not have the commits of the branch.`, {
    hint: 'Fetch them: git fetch --unshallow',
    details: { field: 'root', path: root },
  });
}

function noLedger(url: string): Fault {
  return new Fault('E_NOT_FOUND', `The remote ${url} has no ledger ${LEDGER_REF}.`, {
    hint: 'An integrator creates it with the first result that it lands.',
    details: { ref: LEDGER_REF },
  });
}
