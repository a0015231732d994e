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
  assertNotRewound,
  ENTRY_FILE,
  fetchLedger,
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

/**
 * Verifies the whole ledger of a remote with nothing but trusted keys: every entry, its receipt, their chain, and that each promoted commit is on
 * its branch, in order. Remembers the last entry, so that a ledger that is rewound later is noticed.
 */
export async function verifyLedger(place: LedgerPlace): Promise<LedgerReport> {
  const { remote, home } = place;
  const { workspace, root } = remote;
  if (await isShallow(workspace, root)) throw tooShallow(root);
  const refs = await listRefs(workspace, remote, [LEDGER_REF, 'refs/heads/*']);
  const tip = refs.get(LEDGER_REF);
  if (tip === undefined) {
    assertNotRewound(home, remote.url, false, 'it was deleted');
    throw noLedger(remote.url);
  }
  await fetchLedger(remote, tip);
  const commits = await listHistory(workspace, root, { tip });
  const checks = createEntryChecks(place.trust);
  for (const [index, { id, parents }] of commits.entries()) {
    const previous = commits[index - 1]?.id;
    if (parents.length > 1 || parents[0] !== previous)
      checks.report(index + 1, id, 'does not follow the entry before it: the ledger is not a chain');
  }
  for (let start = 0; start < commits.length; start += CHUNK)
    await checkChunk(
      place,
      commits.slice(start, start + CHUNK).map(({ id }) => id),
      checks,
    );
  const { promotions, notices, problems, signers } = checks;
  const last = promotions.at(-1);
  // An earlier one was accepted by the integrator of the next entry; integrators do not append to this one.
  if (last?.entry === commits.length && isRetired(place.trust, last.promotion.integrator_key_id))
    checks.report(last.entry, last.commit, 'is the last one, and its key is retired', last.promotion);
  const seen = readSeen(home, remote.url);
  if (seen !== undefined)
    assertNotRewound(
      home,
      remote.url,
      commits[seen.sequence - 1]?.id === seen.commit,
      `entry ${seen.sequence} is ${commits[seen.sequence - 1]?.id.slice(0, 10) ?? 'missing'}`,
    );
  const byBranch = Map.groupBy(promotions, ({ promotion }) => promotion.branch);
  const tips = new Map([...byBranch.keys()].map((branch) => [branch, refs.get(branchRef(branch))] as const));
  await fetchRefs(
    workspace,
    remote,
    [...tips].flatMap(([branch, commit]) => (commit === undefined ? [] : [branchRef(branch)])),
  );
  const branches: BranchReport[] = [];
  for (const [branch, entries] of byBranch)
    branches.push(await verifyBranch(remote, { branch, tip: tips.get(branch), entries }, checks));
  if (problems.length === 0)
    await rememberLedger(home, remote.url, { commit: tip, sequence: commits.length });
  return { commit: tip, entries: commits.length, branches, signers: signers(), notices, problems };
}

async function checkChunk(
  { remote }: LedgerPlace,
  commits: readonly string[],
  checks: EntryChecks,
): Promise<void> {
  const names = commits.flatMap((commit) => [`${commit}:${ENTRY_FILE}`, `${commit}:${RECEIPT_FILE}`]);
  const texts = await readFiles(remote.workspace, remote.root, names);
  for (const commit of commits)
    checks.add(commit, {
      entry: texts.get(`${commit}:${ENTRY_FILE}`) ?? '',
      receipt: texts.get(`${commit}:${RECEIPT_FILE}`) ?? '',
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
