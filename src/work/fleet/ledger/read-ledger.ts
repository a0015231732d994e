import { Fault } from '../../../base/fault.ts';
import type { Trust } from '../../receipt/keyring.ts';
import { openLedgerEntry, type LedgerEntry } from '../../receipt/ledger-entry.ts';
import type { OpenedStatement } from '../../receipt/signed-statement.ts';
import { FIRST } from '../../receipt/receipt.ts';
import { isAncestor } from '../../workspace/remote/commit-history.ts';
import { readFiles } from '../../workspace/remote/document-commit.ts';
import { fetchRefs, hasCommit, listRefs } from '../../workspace/remote/remote-refs.ts';
import type { Fleet } from '../fleet.ts';
import { keepKnown } from '../known-refs.ts';
import { readSeen, seenPath, type SeenLedger } from './seen-ledger.ts';

/** The ledger of promotions: a chain of commits, one for each entry. The clone keeps the same ref, so that only new entries are fetched. */
export const LEDGER_REF = 'refs/deed/ledger';
export const ENTRY_FILE = 'promotion.dsse.json';
export const RECEIPT_FILE = 'receipt.dsse.json';
export const APPROVAL_FILE = 'approval.dsse.json';

/** Where the next entry goes. */
export interface LedgerTip {
  readonly commit: string | null;
  readonly sequence: number;
  readonly hash: string;
}

/** What reading a ledger needs. */
export interface LedgerPlace {
  readonly home: string;
  readonly remote: Fleet['remote'];
  readonly trust: Trust;
}

/** The last entry of the ledger as it was read, before it is checked. */
export interface LedgerReading {
  /** What this home had seen. Contract: read before the remote, because another process of this home may append meanwhile. */
  readonly seen: SeenLedger | undefined;
  readonly commit: string | null;
  /** The signed entry. */
  readonly text: string;
}

/** Reads the last entry of the ledger, and only that one. */
export async function readLedger({ home, remote }: Omit<LedgerPlace, 'trust'>): Promise<LedgerReading> {
  const seen = readSeen(home, remote.url);
  const commit = (await listRefs(remote.workspace, remote, [LEDGER_REF])).get(LEDGER_REF) ?? null;
  if (commit !== null) await fetchLedger(remote, commit);
  return { seen, commit, text: commit === null ? '' : await readEntryText(remote, commit) };
}

/** Reads the last entry of the ledger and checks it. */
export async function readLedgerTip(place: LedgerPlace): Promise<LedgerTip> {
  return checkLedgerTip(place, await readLedger(place));
}

/**
 * Contract: a ledger that was rewound or deleted since this home saw it, or whose last entry no trusted integrator signed, is E_DAMAGED:
 * nothing may be appended to it.
 */
export async function checkLedgerTip(
  place: LedgerPlace,
  { seen, commit, text }: LedgerReading,
): Promise<LedgerTip> {
  const { remote, trust } = place;
  if (commit === null) {
    assertNotRewound(place, seen, { follows: false, now: 'it was deleted' });
    return { commit, sequence: 0, hash: FIRST };
  }
  const opened = openLedgerEntry(text, trust.integrators);
  if ('problem' in opened)
    throw ledgerDamaged(`its last entry (${commit.slice(0, 10)}): ${opened.problem}`, {
      hint: 'If a trusted integrator wrote it, trust its key: deed receipt trust <public key> --name <name> --role integrator. Otherwise find out who can push to it.',
      commit,
    });
  const { sequence } = opened.document;
  if (seen !== undefined && seen.commit !== commit) {
    const follows =
      sequence > seen.sequence &&
      (await isAncestor(remote.workspace, remote.root, { commit: seen.commit, descendant: commit }));
    assertNotRewound(place, seen, {
      follows,
      now: `it ends with entry ${sequence} (${commit.slice(0, 10)})`,
    });
  }
  await keepLedger(remote, commit);
  return { commit, sequence, hash: opened.hash };
}

/** Fetches the entries that the clone does not have. */
export async function fetchLedger(remote: Fleet['remote'], commit: string): Promise<void> {
  const { workspace, root } = remote;
  if (!(await hasCommit(workspace, root, commit))) await fetchRefs(workspace, remote, [LEDGER_REF]);
}

/**
 * Keeps the entries in the clone. Contract: only after they were checked. The clone may have the only copy of a ledger that was replaced
 * in the remote, and git deletes commits that no ref has.
 */
export async function keepLedger(remote: Fleet['remote'], commit: string): Promise<void> {
  await keepKnown(remote, { [LEDGER_REF]: commit });
}

/** Reads one entry and checks who signed it. */
export async function readEntry(
  remote: Fleet['remote'],
  commit: string,
  keys: Trust['integrators'],
): Promise<OpenedStatement<LedgerEntry>> {
  return openLedgerEntry(await readEntryText(remote, commit), keys);
}

async function readEntryText({ workspace, root }: Fleet['remote'], commit: string): Promise<string> {
  const name = `${commit}:${ENTRY_FILE}`;
  return (await readFiles(workspace, root, [name])).get(name) ?? '';
}

/** Throws if the remote no longer has the last entry of the ledger that this home has seen. */
export function assertNotRewound(
  { home, remote }: Pick<LedgerPlace, 'home' | 'remote'>,
  seen: SeenLedger | undefined,
  { follows, now }: { readonly follows: boolean; readonly now: string },
): void {
  if (follows || seen === undefined) return;
  throw ledgerDamaged(
    `this home has seen entry ${seen.sequence} (${seen.commit.slice(0, 10)}) in it, and now ${now}`,
    {
      hint: `Someone with push access rewound or replaced it. Push ${seen.commit} to it again from a clone that has it. If the change was intended, remove ${seenPath(home, remote.url)}.`,
      commit: seen.commit,
    },
  );
}

function ledgerDamaged(problem: string, { hint, commit }: { hint: string; commit: string }): Fault {
  return new Fault('E_DAMAGED', `The ledger ${LEDGER_REF} of the remote cannot be trusted: ${problem}.`, {
    hint,
    details: { ref: LEDGER_REF, commit, problem },
  });
}
