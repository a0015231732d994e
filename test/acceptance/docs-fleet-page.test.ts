import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keyringFolder } from '../../src/work/receipt/keyring.ts';
import { exportPem } from '../../src/work/receipt/signing-key.ts';
import { createAccount, runPage } from '../fixtures/docs/run-page.ts';
import { createKey, trustKeys } from '../fixtures/keyring.ts';
import { LedgerBench } from '../fixtures/ledger-bench.ts';
import { LONG } from '../fixtures/start-node.ts';

it.runIf(LONG)('docs/fleet.md: keys can be trusted, and a fresh clone verifies the ledger', async () => {
  const bench = new LedgerBench();
  const account = createAccount('fleet-page');
  try {
    await bench.land('one', 'two');
    const home = account.env.DEED_HOME ?? '';
    trustKeys(home, [
      ['build', 'worker', bench.worker],
      ['land', 'integrator', bench.integrator.key],
    ]);
    cpSync(keyringFolder(home), join(account.cwd, 'trusted'), { recursive: true });
    for (const name of ['land-2', 'desk'])
      writeFileSync(join(account.cwd, `${name}.pub.pem`), exportPem(createKey().publicKey));
    const ran = await runPage('docs/fleet.md', {
      account,
      replace: [['https://example.org/app.git', bench.remote]],
    });
    const verified = ran.filter(({ line }) => line.startsWith('deed receipt verify'));
    expect(verified.map(({ stdout }) => (JSON.parse(stdout) as { data: object }).data)).toMatchObject(
      Array.from({ length: 3 }, () => ({ checked: 2, valid: true })),
    );
  } finally {
    account.dispose();
    bench.dispose();
  }
});
