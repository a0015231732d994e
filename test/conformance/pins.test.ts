import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertContract, type Contract, type ContractExtension } from '../../scripts/contract-rules.ts';
import { deed, ROOT } from '../fixtures/run-deed.ts';

/**
 * What callers rely on, as literals. Nothing here is imported from the source: a change that makes one of these tests fail is a
 * breaking change of the contract.
 */
const CODES = [
  ['E_USAGE', 2, false],
  ['E_VALIDATION', 2, false],
  ['E_NOT_FOUND', 3, false],
  ['E_AUTH', 4, false],
  ['E_FORBIDDEN', 4, false],
  ['E_CONFIG', 4, false],
  ['E_CONFIRMATION_REQUIRED', 5, false],
  ['E_CONFLICT', 6, false],
  ['E_NETWORK', 7, true],
  ['E_RATE_LIMITED', 7, true],
  ['E_SERVER', 7, true],
  ['E_TIMEOUT', 8, true],
  ['E_INTEGRITY', 1, false],
  ['E_IO', 1, false],
  ['E_UNKNOWN', 1, false],
  ['E_INTERRUPTED', 130, true],
  ['E_HUMAN_REQUIRED', 9, false],
  ['E_IDENTITY_MISMATCH', 6, false],
  ['E_PROTECTED', 4, false],
  ['E_GATE_FAILED', 6, false],
  ['E_BUDGET_EXHAUSTED', 7, true],
  ['E_SESSION_EXPIRED', 3, false],
  ['E_SKILL_SYNC', 7, true],
  ['E_DAMAGED', 1, false],
  ['E_DENIED', 6, false],
  ['E_TESTS_FAILED', 1, false],
  ['E_AGENT_FAILED', 1, false],
] as const;

const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const contract = read('contract/contract.json') as Contract & Record<string, unknown>;
const extension = read('contract/contract-ext.json') as ContractExtension;

describe('the public contract', () => {
  it('has these codes with these exits, and no others', () => {
    const rows = Object.entries({ ...contract.error_codes.core, ...extension.error_codes });
    expect(rows.map(([code, { exit, retryable }]) => [code, exit, retryable])).toEqual(CODES);
  });

  it('has this envelope', () => {
    expect(contract.envelope).toEqual({
      success: ['ok', 'schema_version', 'data', 'meta'],
      error: ['ok', 'schema_version', 'error', 'meta'],
      error_object: ['code', 'message', 'details', 'retryable'],
      meta: { required: ['duration_ms'], optional: ['notices'] },
      stream_line: {
        success: ['ok', 'schema_version', 'type', 'data'],
        error: ['ok', 'schema_version', 'type', 'error'],
      },
    });
  });

  it('has these formats of pages, batches and tokens', () => {
    expect([
      contract.pagination,
      contract.batch,
      contract.confirm_token,
      contract.untrusted_key,
      contract.schema_version,
    ]).toEqual([
      {
        cursor: ['items', 'count', 'next_cursor', 'has_more'],
        offset: ['items', 'count', 'offset', 'next_offset', 'has_more'],
        capped: 'truncated',
      },
      {
        result: ['items', 'summary'],
        item: { required: ['target', 'ok'], on_failure: ['error'], error: ['code', 'retryable'] },
        summary: { required: ['total', 'succeeded', 'failed'], optional: ['skipped'] },
      },
      { prefix: 'ct_', ttl_minutes: 15, single_use: true },
      '_untrusted',
      '1.0',
    ]);
  });

  it('matches the codes that the executable reports', () => {
    const { error_codes } = deed(['reference']).envelope.data as {
      error_codes: Record<string, { exit: number; retryable: boolean }>;
    };
    expect(Object.entries(error_codes).map(([code, { exit, retryable }]) => [code, exit, retryable])).toEqual(
      CODES,
    );
  });

  it('has these commands', () => {
    const { commands } = deed(['reference', '--compact']).envelope.data as {
      commands: { path: string; gate: string }[];
    };
    expect(commands.map(({ path, gate }) => `${path} (${gate})`)).toEqual([
      'overview (none)',
      'reference (none)',
      'context (none)',
      'doctor (none)',
      'changelog (none)',
      'completion (none)',
      'man (none)',
      'audit list (none)',
      'audit export (none)',
      'audit verify (none)',
      'config get (none)',
      'config list (none)',
      'config set (confirm)',
      'config unset (confirm)',
      'config trust (confirm)',
      'audit retire (dangerous)',
      'resume (confirm)',
      'brief (none)',
      'push (confirm)',
      'status (none)',
      'task create (confirm)',
      'task begin (confirm)',
      'task heartbeat (confirm)',
      'task get (none)',
      'task list (none)',
      'task next (none)',
      'task take (confirm)',
      'task edit (confirm)',
      'task set-status (confirm)',
      'task set-priority (confirm)',
      'task complete (confirm)',
      'task add-dep (confirm)',
      'task remove-dep (confirm)',
      'task delete (confirm)',
      'memory set (confirm)',
      'memory get (none)',
      'memory list (none)',
      'memory search (none)',
      'memory history (none)',
      'memory confirm (confirm)',
      'memory delete (confirm)',
      'memory gc (confirm)',
      'events list (none)',
      'artifacts list (none)',
      'store backup (confirm)',
      'store check (none)',
      'store copy (confirm)',
      'store export (confirm)',
      'store import (confirm)',
      'store restore (dangerous)',
      'store upgrade (confirm)',
      'store use (confirm)',
      'store vacuum (confirm)',
      'hook install (confirm)',
      'hook uninstall (confirm)',
      'loop (confirm)',
      'loop stats (none)',
      'agent costs (none)',
      'agent login (confirm)',
      'agent run (confirm)',
      'agent sessions list (none)',
      'agent sessions prune (confirm)',
      'agent sessions show (none)',
      'agent tools (none)',
      'agent validate (none)',
      'worker start (none)',
      'worker list (none)',
      'worker drain (confirm)',
      'integrator start (none)',
      'work run (confirm)',
      'work status (none)',
      'work result (none)',
      'work cancel (confirm)',
      'work fleet (none)',
      'work list (none)',
      'work show (none)',
      'work log (none)',
      'work diff (none)',
      'work graph (none)',
      'work replay (none)',
      'work approve (confirm)',
      'work reject (confirm)',
      'work revise (confirm)',
      'work rollback (confirm)',
      'work commit (confirm)',
      'work blame (none)',
      'work recover (confirm)',
      'work gc (confirm)',
      'receipt show (none)',
      'receipt export (none)',
      'receipt list (none)',
      'receipt verify (none)',
      'receipt trust (confirm)',
      'receipt untrust (confirm)',
      'receipt signers (none)',
      'triage snapshot (none)',
      'triage plan (none)',
      'triage explain (none)',
      'triage apply (dangerous)',
      'triage verify (none)',
      'triage diff (none)',
      'triage status (none)',
      'triage sessions (none)',
      'triage export (none)',
      'triage report (none)',
      'triage capabilities (none)',
      'triage watch (none)',
      'triage fleet (none)',
      'triage protect list (none)',
      'triage protect add (confirm)',
      'triage protect remove (confirm)',
      'triage feedback (confirm)',
      'setup (confirm)',
      'setup undo (confirm)',
      'gc (confirm)',
      'mcp serve (none)',
      'web (none)',
      'demo (none)',
      'update (exempt)',
    ]);
  });

  it('exports these names from the library', async () => {
    const library = (await import(join(ROOT, 'dist/lib/contract.js'))) as Record<string, unknown>;
    expect(Object.keys(library).sort()).toEqual([
      'Fault',
      'PAGE_PARAMETERS',
      'addTotal',
      'chunksOf',
      'cutPage',
      'defineBatch',
      'defineErrorCodes',
      'defineExempt',
      'defineRead',
      'defineStream',
      'defineWrite',
      'described',
      'pageOf',
      'readCursor',
      'runCli',
    ]);
  });

  it('exports this name from the library of conformance', async () => {
    const library = (await import(join(ROOT, 'dist/lib/conformance.js'))) as Record<string, unknown>;
    expect(Object.keys(library)).toEqual(['checkProgram']);
  });

  it('exports these names from the library of triage', async () => {
    const library = (await import(join(ROOT, 'dist/lib/triage.js'))) as Record<string, unknown>;
    expect(Object.keys(library).sort()).toEqual(['Fault', 'openMachine', 'openTriage']);
  });

  it('exports these names from the library of work', async () => {
    const library = (await import(join(ROOT, 'dist/lib/work.js'))) as Record<string, unknown>;
    expect(Object.keys(library).sort()).toEqual([
      'Fault',
      'checkAdmission',
      'executeWorkItem',
      'freeze',
      'parsePlan',
      'resolveDependencies',
      'thaw',
      'verifyReceipts',
    ]);
  });
});

describe('the agent library', () => {
  it('exports these names', async () => {
    const library = (await import(join(ROOT, 'dist/lib/agent.js'))) as Record<string, unknown>;
    expect(Object.keys(library).sort()).toEqual([
      'AIAgentSession',
      'Fault',
      'listSessions',
      'openAgent',
      'readSession',
      'renderReport',
      'signIn',
    ]);
  });
});

describe('an extension code', () => {
  const row = { exit: 1, retryable: false };
  it.each([
    ['is not E_*', { FAILED: row }],
    ['shadows a core code', { E_IO: row }],
    ['must declare exit and retryable', { E_NEW: { exit: 1 } }],
    ['has an unknown exit', { E_NEW: { exit: 77, retryable: false } }],
    ['exit 9 is reserved', { E_NEW: { exit: 9, retryable: false } }],
  ])('that breaks a rule is rejected: %s', (problem, error_codes) => {
    expect(() => assertContract(contract, { error_codes: error_codes as never }, '1.0')).toThrow(problem);
  });

  it('set must be pinned to the version of the contract', () => {
    expect(() => assertContract(contract, extension, '0.9')).toThrow('SPEC_VERSION');
  });
});
