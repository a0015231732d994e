import { join, resolve } from 'node:path';
import type * as v from 'valibot';
import { openRemote } from '../../app/fleet/open-remote.ts';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { LedgerProblem } from '../../work/fleet/ledger/verify-entries.ts';
import { verifyLedger, type LedgerReport } from '../../work/fleet/ledger/verify-ledger.ts';
import { keyringFolder, readKeyring, readTrust } from '../../work/receipt/keyring.ts';
import { readVerifyingKeys } from '../../work/receipt/signing-key.ts';
import { normalizeRemote } from '../../work/workspace/normalize-remote.ts';
import { loadWork } from '../work/load-work.ts';
import type { ledgerSchema } from './ledger-schema.ts';

interface LedgerParameters {
  readonly id?: string | undefined;
  readonly file?: string | undefined;
  readonly key?: string | undefined;
  readonly root?: string | undefined;
  readonly ledger: boolean;
  readonly keys?: string | undefined;
  readonly exclusive: boolean;
}

/** The answer of `receipt verify --ledger`. */
export interface LedgerAnswer {
  checked: number;
  valid: true;
  ledger: v.InferOutput<typeof ledgerSchema>;
}

const MAX_PROBLEMS = 100;

/** Verifies the ledger of the remote of a clone. */
export async function verifyRemoteLedger(
  params: LedgerParameters,
  context: CommandContext,
): Promise<LedgerAnswer> {
  assertAlone(params);
  const { root = '.', exclusive } = params;
  const folder = keyringOf(params, context);
  const home = context.home.path;
  // With --keys only the keys of that folder are trusted; otherwise the keyring of the home and its own keys.
  const own = params.keys === undefined ? readVerifyingKeys(join(home, 'keys')) : [];
  const trust = readTrust(folder, own);
  if (trust.integrators.length + trust.retired.length === 0) throw noIntegrators(folder);
  const work = (await loadWork()).openWorkContext(context);
  const remote = await openRemote(context, work, root);
  const report = await verifyLedger({ home, remote, trust });
  const problems = [...report.problems, ...(exclusive ? othersOf(report) : [])];
  const [first] = problems;
  if (first !== undefined) throw invalidLedger(first, problems, report.entries);
  for (const notice of [...report.notices, ...describeOtherCommits(report)]) context.warn(notice);
  const names = new Map(readKeyring(folder).map(({ keyId, name }) => [keyId, name] as const));
  return {
    checked: report.entries,
    valid: true,
    ledger: {
      remote: normalizeRemote(remote.url),
      commit: report.commit,
      entries: report.entries,
      branches: report.branches.map((branch) => ({
        ...branch,
        other_commits: [...branch.other_commits],
      })),
      signers: report.signers.map((signer) => ({ ...signer, name: names.get(signer.key_id) ?? null })),
      notices: [...report.notices],
    },
  };
}

function assertAlone({ id, file, key, ledger }: LedgerParameters): void {
  if (ledger && id === undefined && file === undefined && key === undefined) return;
  throw new Fault(
    'E_VALIDATION',
    ledger
      ? 'Pass --ledger without an id, --file and --key.'
      : 'Pass --keys and --exclusive only with --ledger.',
    {
      hint: 'deed receipt verify --ledger',
      details: { field: ledger ? 'ledger' : 'keys' },
    },
  );
}

function keyringOf({ keys }: LedgerParameters, { home, system }: CommandContext): string {
  return keys === undefined ? keyringFolder(home.path) : resolve(system.cwd, keys);
}

function noIntegrators(folder: string): Fault {
  return new Fault('E_CONFIG', `No integrator is trusted in ${folder}, so no entry could be valid.`, {
    hint: 'Get its key over a channel that you trust, then: deed receipt trust <public key> --name <name> --role integrator --dry-run',
    details: { field: 'keys', path: folder },
  });
}

function invalidLedger(first: LedgerProblem, problems: readonly LedgerProblem[], checked: number): Fault {
  const where = first.entry === 0 ? 'The ledger' : `Entry ${first.entry} of the ledger`;
  const item = first.item === '' ? '' : ` (${first.item})`;
  return new Fault('E_DAMAGED', `${where}${item}: ${first.problem}.`, {
    hint: 'Do not rely on the branch before you know who changed it. If only a key is missing in the keyring, add it: deed receipt trust <public key> --name <name> --dry-run',
    details: { checked, problems: problems.slice(0, MAX_PROBLEMS).map((problem) => ({ ...problem })) },
  });
}

function othersOf(report: LedgerReport): readonly LedgerProblem[] {
  return report.branches
    .filter(({ others }) => others > 0)
    .map(({ other_commits: [commit = ''] }, index) => ({
      entry: 0,
      commit,
      item: '',
      problem: describeOtherCommits(report)[index] ?? '',
    }));
}

function describeOtherCommits({ branches }: LedgerReport): readonly string[] {
  return branches
    .filter(({ others }) => others > 0)
    .map(
      ({ branch, others, other_commits: [newest = ''] }) =>
        `${branch} has ${others} ${others === 1 ? 'commit' : 'commits'} without an entry in the ledger; the newest is ${newest.slice(0, 10)}`,
    );
}
