import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillReceipts } from '../../../test/fixtures/fill-receipts.ts';
import { contextAt, draft } from '../../../test/fixtures/finished-run.ts';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { finishRun } from '../run/finish-run.ts';
import { checkReceiptFiles } from './check-receipt-files.ts';
import { searchChain } from './receipt-chain.ts';
import { verifyReceipts } from './verify-receipts.ts';

/** More than what is read of a chain before a receipt is added. */
const MANY = 110;

describe('a long chain of receipts', () => {
  let home: string;
  let chain: string;
  /** Written once; each test has a copy. */
  let filled: string;
  beforeAll(async () => {
    const folder = temporaryFolder('filled-chain');
    filled = folder.path;
    await finishRun(contextAt(filled), draft());
    fillReceipts(filled, MANY);
    return () => folder.dispose();
  });
  beforeEach(() => {
    const folder = temporaryFolder('long-chain');
    home = folder.path;
    chain = join(home, 'runs/chain.jsonl');
    cpSync(filled, home, { recursive: true });
    return () => folder.dispose();
  });
  const lines = (): string[] => readFileSync(chain, 'utf8').split('\n').slice(0, -1);
  const finish = (): Promise<unknown> => finishRun(contextAt(home), draft());

  it('grows at its end', async () => {
    await finish();
    await finish();
    expect(verifyReceipts(home)).toEqual({ checked: MANY + 3, problems: [] });
  });

  it('grows after a partial line, and after a line whose process was killed before it wrote the head', async () => {
    const head = readFileSync(join(home, 'keys/receipts.head.json'), 'utf8');
    await finish();
    writeFileSync(join(home, 'keys/receipts.head.json'), head);
    appendFileSync(chain, '{"half":');
    checkReceiptFiles(home);
    await finish();
    expect(verifyReceipts(home)).toEqual({ checked: MANY + 3, problems: [] });
  });

  it.each([
    ['the newest were removed', (all: string[]) => all.slice(0, -5)],
    ['one of the last was removed', (all: string[]) => all.toSpliced(-3, 1)],
    ['one of the last was changed', (all: string[]) => all.toSpliced(-2, 1, (all.at(-2) ?? '').slice(1))],
  ])('does not grow if %s', async (_, change) => {
    writeFileSync(chain, `${change(lines()).join('\n')}\n`);
    expect(() => checkReceiptFiles(home)).toThrow(expect.objectContaining({ code: 'E_DAMAGED' }));
    await expect(finish()).rejects.toMatchObject({ code: 'E_DAMAGED' });
  });

  it('grows after damage that is long ago, which its verification still finds', async () => {
    const old = lines()[3] ?? '';
    const { run_id: runId } = JSON.parse(old) as { run_id: string };
    writeFileSync(chain, `${lines().with(3, old.replace('success', 'failure')).join('\n')}\n`);
    checkReceiptFiles(home);
    await finish();
    expect(verifyReceipts(home).problems).toEqual([expect.objectContaining({ run_id: runId })]);
  });

  it('is searched for a value, without what was changed', () => {
    const [first = '', second = ''] = lines();
    const { run_id: runId = '', work_item_hash: hash = '' } = JSON.parse(second) as Record<string, string>;
    expect(searchChain(chain, 'work_item_hash', hash).map(({ run_id }) => run_id)).toEqual([runId]);
    expect(searchChain(chain, 'phase', 'tranche')).toHaveLength(MANY + 1);
    expect(searchChain(chain, 'phase', 'rollback')).toEqual([]);
    // The value of one member is not found as that of another one.
    expect(searchChain(chain, 'before_hash', hash)).toEqual([]);
    writeFileSync(chain, `${[first, second.slice(1), ...lines().slice(2)].join('\n')}\n`);
    expect(searchChain(chain, 'work_item_hash', hash)).toEqual([]);
    expect(searchChain(join(home, 'nothing'), 'phase', 'tranche')).toEqual([]);
  });
});
