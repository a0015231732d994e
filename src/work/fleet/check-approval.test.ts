import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trustKeys } from '../../../test/fixtures/keyring.ts';
import { LedgerBench } from '../../../test/fixtures/ledger-bench.ts';
import { deed } from '../../../test/fixtures/run-deed.ts';
import { item } from '../../../test/fixtures/work-bench.ts';
import { hashItem } from '../item/hash-item.ts';
import { checkItem } from '../item/check-item.ts';
import { openSigningKey } from '../receipt/signing-key.ts';
import type { Approval } from '../run/run-draft.ts';
import { describeRefusal, signDecision } from './check-approval.ts';
import { decideItem } from './decide-item.ts';
import type { Fleet } from './fleet.ts';
import { integrateItems } from './integrate-items.ts';
import { replaceItem, type StoredRecord } from './item-refs.ts';
import type { ItemRecord } from './item-record.ts';
import { toStandaloneItem } from './run-in-clone.ts';
import type { Lease } from './work-queue.ts';

const APPROVED: Approval = { decision: 'approved', by: 'user:p', at: '2026-11-18T10:00:00.000Z' };

/** Everyone with push access to the remote can write to the ref of an item. */
describe('the approval of an item', () => {
  let bench: LedgerBench;
  let person: { readonly home: string; readonly clone: string };
  const queuedItem = checkItem(item('ask', 'true', { approval: true }));
  beforeAll(() => {
    bench = new LedgerBench();
    person = bench.fresh();
  });
  afterAll(() => bench.dispose());
  const readRecord = async (): Promise<StoredRecord> => (await bench.readItem('ask')) as StoredRecord;
  const replace = async (change: (record: ItemRecord) => ItemRecord): Promise<void> => {
    const current = await readRecord();
    await replaceItem(bench.integrator.fleet.remote, current, change(current.record));
  };
  const approveIn = async ({ home, clone }: typeof person): Promise<ItemRecord> => {
    const { record } = await readRecord();
    const remote = { ...bench.integrator.fleet.remote, root: clone };
    return decideItem({ id: 'p', work: { home } as Fleet['work'], remote }, record, APPROVED);
  };
  /** What the integrator makes of the item. */
  const integrate = async (): Promise<ItemRecord> => {
    const queued = { jobId: 'job_1', item: queuedItem, branch: 'main', round: 0, order: 1 };
    const nothing = async (): Promise<void> => undefined;
    const lease: Lease = { queued, retry: 0, beat: async () => true, done: nothing, returnToQueue: nothing };
    await integrateItems(bench.integrator.fleet, [lease], new AbortController().signal);
    return (await readRecord()).record;
  };

  it('counts only if a trusted approver signed it for exactly this result', async () => {
    await bench.result('ask', 'main', undefined, hashItem(toStandaloneItem(queuedItem)));
    // The record says that it needs no decision.
    expect(await integrate()).toMatchObject({ step: 'waiting', refused: { reason: 'missing' } });
    await replace((record) => ({ ...record, step: 'result', approval: APPROVED }));
    const forged = await integrate();
    expect(forged).toMatchObject({ step: 'waiting', refused: { reason: 'unsigned' } });
    expect(forged.approval).toBeUndefined();
    const key = openSigningKey(`${person.home}/keys`);
    expect((await approveIn(person)).refused).toBeUndefined();
    const approved = await readRecord();
    expect(await integrate()).toMatchObject({
      step: 'waiting',
      refused: { reason: 'untrusted', key_id: key.keyId },
    });
    expect(describeRefusal({ reason: 'untrusted', key_id: key.keyId })).toMatch(
      new RegExp(`signed with the key ${key.keyId}.*deed receipt trust .* --role approver`, 'u'),
    );
    trustKeys(bench.integrator.home, [['person', 'worker', key]]);
    await replace(() => approved.record);
    expect(await integrate()).toMatchObject({ step: 'waiting', refused: { reason: 'untrusted' } });
    trustKeys(bench.integrator.home, [['person', 'approver', key]]);
    // A person approved what was there before.
    await approveIn(person);
    const { record } = await readRecord();
    const old = signDecision(person.home, { ...record, attempt: 2 }, APPROVED);
    await replace((current) => ({ ...current, approval: { ...APPROVED, statement: old } }));
    expect(await integrate()).toMatchObject({ step: 'waiting', refused: { reason: 'another_result' } });
    await approveIn(person);
    expect(await integrate()).toMatchObject({ step: 'promoted' });
  });

  it('is in the ledger, and verified from a fresh clone', () => {
    const auditor = bench.auditor();
    const verify = () =>
      deed(['receipt', 'verify', '--ledger'], { home: auditor.home, cwd: auditor.clone }).envelope;
    expect(verify().error?.message).toContain('its approval does not count');
    trustKeys(auditor.home, [['person', 'approver', openSigningKey(`${person.home}/keys`)]]);
    expect(verify().data).toMatchObject({ checked: 1, valid: true });
  });
});
