import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../system/digest.ts';
import { createKey } from '../../../../test/fixtures/keyring.ts';
import { signEnvelope } from '../../receipt/dsse.ts';
import { signApproval, type SignedApproval } from '../../receipt/approval.ts';
import type { Trust } from '../../receipt/keyring.ts';
import { signLedgerEntry, type LedgerEntry } from '../../receipt/ledger-entry.ts';
import { FIRST, hashReceipt, type Receipt } from '../../receipt/receipt.ts';
import { exportPem, type SigningKey, type VerifyingKey } from '../../receipt/signing-key.ts';
import { renderStatement } from '../../receipt/statement.ts';
import { itemBranch } from '../item-branch.ts';
import { createEntryChecks } from './verify-entries.ts';

const [worker, integrator, approver, other] = [createKey(), createKey(), createKey(), createKey()];
const publicOf = ({ publicKey, keyId }: SigningKey): VerifyingKey => ({
  publicKey,
  keyId,
  pem: exportPem(publicKey),
});
const trust: Trust = {
  workers: [publicOf(worker)],
  integrators: [publicOf(integrator)],
  approvers: [publicOf(approver)],
  retired: [],
};

interface Texts {
  readonly entry: string;
  readonly receipt: string;
  readonly approval: string;
}

/** A ledger of these items; each may differ from what the worker or the integrator should have signed. */
function writeLedger(
  items: readonly {
    readonly id: string;
    readonly receipt?: Partial<Receipt>;
    readonly entry?: Partial<LedgerEntry>;
    readonly by?: SigningKey;
    readonly approval?: Partial<SignedApproval>;
    readonly approvedBy?: SigningKey;
  }[],
): readonly Texts[] {
  let previous = FIRST;
  return items.map(({ id, receipt: changed, entry, by = integrator, approval, approvedBy }, index) => {
    const names = { job_id: 'job_1', item_id: id, attempt: 1 };
    const branch = itemBranch({ jobId: 'job_1', itemId: id, attempt: 1 });
    const [base, commit] = [sha256(`base ${id}`), sha256(`commit ${id}`)];
    const unsigned = {
      canonicalization: 'RFC8785',
      run_id: `run_${id}`,
      work_item_id: id,
      work_item_hash: sha256(id),
      git: { head: base, branch, index_hash: null },
      landing: { branch, commit, parent: base },
      artifacts: [],
      previous_receipt_hash: sha256(`before ${id}`),
      status: 'success',
      ...changed,
    } as unknown as Receipt;
    const receipt = { ...unsigned, receipt_hash: hashReceipt(unsigned) };
    const approved =
      approvedBy &&
      signApproval(
        {
          version: 1,
          decision: 'approved',
          ...names,
          run_id: `run_${id}`,
          commit,
          receipt_hash: receipt.receipt_hash,
          approver_key_id: approvedBy.keyId,
          by: 'user:p',
          at: '2026-11-18T10:00:00.000Z',
          ...approval,
        },
        approvedBy,
      );
    const signed = signLedgerEntry(
      {
        version: 1,
        sequence: index + 1,
        previous,
        ...names,
        item_hash: sha256(id),
        run_id: `run_${id}`,
        branch: 'main',
        base,
        result: commit,
        before: base,
        after: commit,
        receipt_hash: receipt.receipt_hash,
        worker_key_id: worker.keyId,
        integrator_key_id: by.keyId,
        integrator: 'host',
        at: '2026-11-18T10:00:00.000Z',
        ...(approved && { approval_hash: approved.hash }),
        ...entry,
      },
      by,
    );
    previous = signed.hash;
    return {
      entry: signed.text,
      receipt: JSON.stringify(signEnvelope(renderStatement(receipt), worker)),
      approval: approved?.text ?? '',
    };
  });
}

function check(texts: readonly (Texts | undefined)[], trusted = trust) {
  const checks = createEntryChecks(trusted);
  for (const [index, each] of texts.entries())
    checks.add(`c${index + 1}`, each ?? { entry: '', receipt: '', approval: '' });
  return checks;
}

function problemsOf(...given: Parameters<typeof check>): readonly string[] {
  return check(...given).problems.map(({ entry, problem }) => `${entry}: ${problem}`);
}

const OTHER_BEFORE =
  'names another entry as the one before it: an entry was removed, replaced or added again';

describe('entries of a ledger', () => {
  const good = writeLedger([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
  const [first, second, third] = good;

  it('are valid as they were written', () => {
    const { problems, notices, promotions } = check(good);
    expect([problems, notices, promotions.length]).toEqual([[], [], 3]);
  });

  it('show that one was removed, moved, added again or replaced', () => {
    expect(problemsOf([first, third])).toEqual(['2: says that it is entry 3', `2: ${OTHER_BEFORE}`]);
    expect(problemsOf([first, third, second])).toHaveLength(4);
    expect(problemsOf([...good, first])).toEqual([
      '4: says that it is entry 1',
      `4: ${OTHER_BEFORE}`,
      '4: the item was promoted before, by entry 1',
      '4: entry 1 has the same receipt',
    ]);
    const [, replaced] = writeLedger([{ id: 'a' }, { id: 'b', entry: { attempt: 2 } }]);
    expect(problemsOf([first, replaced, third])).toContain(`3: ${OTHER_BEFORE}`);
    expect(problemsOf([first, undefined, third])).toEqual(['2: is not a signed entry']);
  });

  it('are signed by an integrator, and their receipts by a worker', () => {
    const foreign = writeLedger([{ id: 'a', by: other }]);
    expect(problemsOf(foreign)).toEqual([
      `1: it was signed with the key ${other.keyId}, which does not belong to a trusted integrator`,
    ]);
    expect(problemsOf(writeLedger([{ id: 'a', by: worker }]))[0]).toContain(
      'does not belong to a trusted integrator',
    );
    expect(problemsOf(good, { ...trust, workers: [publicOf(integrator), publicOf(other)] })[0]).toContain(
      `it was signed with the key ${worker.keyId}, which is not trusted`,
    );
    const lying = writeLedger([{ id: 'a', entry: { integrator_key_id: other.keyId } }]);
    expect(problemsOf(lying)).toEqual(['1: names a key other than the one that signed it']);
  });

  it('have the receipt of the same item, run, attempt, base and commit', () => {
    const wrong = (receipt: object): string | undefined => problemsOf(writeLedger([{ id: 'a', receipt }]))[0];
    const names = { jobId: 'job_1', itemId: 'a', attempt: 1 };
    const landing = { branch: itemBranch(names), commit: sha256('commit a'), parent: sha256('base a') };
    expect(wrong({ run_id: 'run_x' })).toBe('1: its receipt is for another run');
    expect(wrong({ status: 'failure' })).toBe('1: its receipt is for another run');
    expect(wrong({ work_item_hash: 'x' })).toBe('1: its receipt is for another item');
    expect(wrong({ landing: { ...landing, commit: 'x' } })).toBe('1: its receipt is for another commit');
    expect(wrong({ landing: { ...landing, parent: 'x' } })).toBe('1: its receipt is for another base');
    const branch = itemBranch({ ...names, jobId: 'job_2' });
    expect(wrong({ landing: { ...landing, branch } })).toBe('1: its receipt is for another job or attempt');
    expect(problemsOf([{ entry: first?.entry ?? '', receipt: second?.receipt ?? '', approval: '' }])).toEqual(
      ['1: its receipt is not the one that the integrator signed'],
    );
    expect(problemsOf([{ entry: first?.entry ?? '', receipt: '{}', approval: '' }])[0]).toContain(
      'no trusted key signed its receipt',
    );
  });

  it('have the approval of a trusted approver for the same result, if they name one', () => {
    const [entry] = writeLedger([{ id: 'a', approvedBy: approver }]);
    expect(problemsOf([entry])).toEqual([]);
    const wrong = (approval: Partial<SignedApproval>): readonly string[] =>
      problemsOf(writeLedger([{ id: 'a', approvedBy: approver, approval }]));
    for (const change of [{ item_id: 'b' }, { attempt: 2 }, { commit: null }, { receipt_hash: sha256('x') }])
      expect(wrong(change), JSON.stringify(change)).toEqual(['1: its approval is for another result']);
    expect(wrong({ decision: 'rejected' })).toEqual(['1: it was rejected']);
    expect(problemsOf([entry && { ...entry, approval: '' }])).toEqual([
      '1: its approval does not count: is not a signed approval',
    ]);
    // A worker does not approve results.
    expect(problemsOf(writeLedger([{ id: 'a', approvedBy: worker }]))[0]).toContain(
      'which does not belong to a trusted approver',
    );
    const [, second] = writeLedger([{ id: 'a' }, { id: 'a', approvedBy: approver, approval: { note: 'x' } }]);
    expect(problemsOf([entry && second && { ...entry, approval: second.approval }])).toEqual([
      '1: its approval is not the one that the integrator signed',
    ]);
    const retired = [publicOf(approver)];
    expect(problemsOf([entry], { ...trust, approvers: [], retired })).toEqual([]);
  });

  it('of a retired signer stay valid', () => {
    const retired = [publicOf(worker), publicOf(integrator)];
    expect(problemsOf(good, { workers: [], integrators: [], approvers: [], retired })).toEqual([]);
  });

  it('show two receipts of a worker that follow the same one, and which follow each other', () => {
    const receipt = { previous_receipt_hash: sha256('same') };
    const { notices, signers } = check(
      writeLedger([
        { id: 'a', receipt },
        { id: 'b', receipt },
      ]),
    );
    expect(notices).toEqual([expect.stringContaining('entries 1 and 2 both follow the same receipt')]);
    expect(signers()).toEqual([{ key_id: worker.keyId, receipts: 2, linked: 0 }]);
  });
});
