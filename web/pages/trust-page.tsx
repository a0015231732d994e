import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CallError } from '../base/api.ts';
import { query, select } from '../base/router.ts';
import type { RunRow } from '../base/use-runs.ts';
import { AuditList } from '../parts/audit-list.tsx';
import { DoctorPanel, KeyPanel, VerdictPanel } from '../parts/trust-panels.tsx';
import { ReceiptChain } from '../parts/receipt-chain.tsx';
import { Tabs } from '../parts/tabs.tsx';

const TABS = [
  { id: 'receipts', label: 'Receipts' },
  { id: 'audit', label: 'Audit log' },
];

/** Whether what the other pages show can be trusted: receipts, audit log, keys and this installation. */
export default function TrustPage({ runs }: { readonly runs: readonly RunRow[] | undefined }): JSX.Element {
  const [fault, setFault] = useState<CallError>();
  const tab = query.value.get('tab') ?? 'receipts';
  return (
    <>
      <h1 class="hidden">Trust</h1>
      <div class="trust">
        <VerdictPanel onVerified={setFault} />
        <KeyPanel />
        <DoctorPanel />
      </div>
      <section class="panel" aria-label="Records">
        <Tabs label="Records" tabs={TABS} selected={tab} onSelect={(id) => select({ tab: id })}>
          {tab === 'receipts' ? <ReceiptChain fault={fault} runs={runs} /> : <AuditList />}
        </Tabs>
      </section>
    </>
  );
}
