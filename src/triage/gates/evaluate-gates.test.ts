import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Assessment, Exemption } from '../assessment.ts';
import { parseSizeMb, type ApplyPolicy } from './apply-policy.ts';
import { evaluateGates, type GateFacts } from './evaluate-gates.ts';
import { GATES, stops } from './gate.ts';
import type { Spent } from './spent.ts';

const OPEN: ApplyPolicy = { requireKnownSignature: false };

/** An assessment that passes every gate. */
function assessment(changes: Partial<Assessment> = {}): Assessment {
  return {
    pid: 7,
    startTicks: 100,
    posterior: { useful: 0.001, useful_bad: 0.001, abandoned: 0.998, zombie: 0 },
    exemption: null,
    supervisor: {
      detected: false,
      type: null,
      unit: null,
      recommended_action: 'kill',
      supervisor_command: null,
    },
    matched_signature: 'mcp-server',
    infeasible: {},
    conformal: { blocksAutomation: false },
    blast_radius: { memory_mb: 100, risk_level: 'low', summary: 'little' },
    eBhRejected: true,
    eValue: 5000,
    tree: [{ pid: 7, startTicks: 100, memoryMb: 100 }],
    grounds: { found: true, reason: 'its owner is gone' },
    vetoes: [],
    ...changes,
  } as Assessment;
}

const spent = (memoryMb: number, kills: number): Spent => ({ memoryMb, kills, counted: new Set() });

function facts(changes: Partial<GateFacts> = {}): GateFacts {
  return {
    action: 'kill',
    planned: assessment(),
    current: changes.planned ?? assessment(),
    planAgeMs: 0,
    planCommand: 'pt agent plan',
    identity: { kind: 'pinned' },
    started: false,
    protection: undefined,
    spent: spent(0, 0),
    budget: { killsLeft: 10, alpha: 0.025 },
    thresholds: { kill: 0.9, review: 0.5 },
    ...changes,
  };
}

const last = (input: GateFacts, policy: ApplyPolicy = OPEN) => evaluateGates(input, policy).at(-1);

describe('the gates', () => {
  it('are evaluated in the order of the contract', () => {
    expect(evaluateGates(facts(), OPEN).map(({ gate, verdict }) => `${gate} ${verdict}`)).toEqual([
      'identity_valid pass',
      'not_protected pass',
      'supervisor_check pass',
      'posterior_threshold pass',
      'blast_radius_limit pass',
      'fdr_budget pass',
      'grounds pass',
      'vetoes pass',
      'plan_age pass',
    ]);
    expect(GATES).toEqual([
      'identity_valid',
      'not_protected',
      'supervisor_check',
      'posterior_threshold',
      'blast_radius_limit',
      'fdr_budget',
      'grounds',
      'vetoes',
      'plan_age',
    ]);
  });

  it.each<[string, Partial<GateFacts>, Partial<ApplyPolicy>, string, string]>([
    [
      'a process without grounds',
      { current: assessment({ grounds: { found: false, reason: 'its parent is running' } }) },
      {},
      'grounds skip',
      'its parent is running',
    ],
    [
      'a process that was not assessed again',
      { current: undefined },
      {},
      'grounds skip',
      'could not be assessed',
    ],
    [
      'a vetoed process',
      { current: assessment({ vetoes: [{ veto: 'lock', reason: 'it holds a file lock' }] }) },
      {},
      'vetoes skip',
      'it holds a file lock',
    ],
    ['an old plan', { planAgeMs: 16 * 60_000 }, {}, 'plan_age skip', 'pt agent plan (without --session)'],
    [
      'a plan above the passed age',
      { planAgeMs: 61_000 },
      { maxPlanAgeMs: 60_000 },
      'plan_age skip',
      'the limit is 1 min',
    ],
    ['a target that has exited', { identity: { kind: 'gone' } }, {}, 'identity_valid skip', 'already exited'],
    [
      'another process before the first action',
      { identity: { kind: 'changed', difference: 'x' } },
      {},
      'identity_valid abort',
      'Not the planned',
    ],
    [
      'another process after the first action',
      { identity: { kind: 'changed', difference: 'x' }, started: true },
      {},
      'identity_valid block',
      'Not the planned',
    ],
    [
      'a process that is protected now',
      { protection: 'it is nginx' },
      {},
      'not_protected skip',
      'it is nginx',
    ],
    [
      'a process that the plan exempted',
      { planned: assessment({ exemption: 'own_session' }) },
      {},
      'not_protected skip',
      'terminal',
    ],
    [
      'a probability below the threshold of the plan',
      { planned: assessment({ posterior: { useful: 0.2, useful_bad: 0, abandoned: 0.8, zombie: 0 } }) },
      {},
      'posterior_threshold skip',
      '0.8000',
    ],
    [
      'a probability below the minimum of the caller',
      {},
      { minPosterior: 0.999 },
      'posterior_threshold skip',
      '0.999',
    ],
    [
      'no known signature',
      { planned: assessment({ matched_signature: null }) },
      { requireKnownSignature: true },
      'posterior_threshold skip',
      'signature',
    ],
    [
      'an infeasible action',
      { planned: assessment({ infeasible: { kill: 'it is blocked on a device' } }) },
      {},
      'posterior_threshold skip',
      'device',
    ],
    [
      'a conformal set that contains useful',
      { planned: assessment({ conformal: { blocksAutomation: true } as never }) },
      {},
      'posterior_threshold skip',
      'person',
    ],
    [
      'a total above the limit',
      { spent: spent(1950, 3) },
      { maxBlastRadiusMb: 2048 },
      'blast_radius_limit skip',
      '2050 MB',
    ],
    [
      'a critical risk',
      {
        planned: assessment({
          blast_radius: { memory_mb: 1, risk_level: 'critical', summary: 'all' } as never,
        }),
      },
      {},
      'blast_radius_limit skip',
      'critical',
    ],
    [
      'more kills than the caller allows',
      { spent: spent(0, 5) },
      { maxKills: 5 },
      'fdr_budget skip',
      'Budget exhausted',
    ],
    [
      'an exhausted daily budget',
      { budget: { killsLeft: 0, alpha: 0.025 } },
      {},
      'fdr_budget skip',
      '24 hours',
    ],
    [
      'evidence below the false discovery rate',
      { planned: assessment({ eBhRejected: false }) },
      {},
      'fdr_budget skip',
      'e-value 5.00e+3',
    ],
  ])('stop %s', (_what, changes, policy, verdict, reason) => {
    const result = last(facts(changes), { ...OPEN, ...policy });
    expect(`${result?.gate} ${result?.verdict}`).toBe(verdict);
    expect(result?.reason).toContain(reason);
  });

  it('warn about a supervisor but pass the action', () => {
    const supervisor = {
      detected: true,
      type: 'systemd' as const,
      unit: 'a.service',
      recommended_action: 'systemctl_stop',
      supervisor_command: 'systemctl --user stop a.service',
    };
    const results = evaluateGates(facts({ planned: assessment({ supervisor }) }), OPEN);
    expect(results.find(({ gate }) => gate === 'supervisor_check')).toEqual({
      gate: 'supervisor_check',
      verdict: 'warn',
      reason: 'systemd manages it and may restart it; prefer: systemctl --user stop a.service.',
    });
    expect(results.at(-1)?.verdict).toBe('pass');
  });

  it('sum the memory of all actions, and stop when the total reaches the limit', () => {
    const limit = { ...OPEN, maxBlastRadiusMb: 200 };
    expect(last(facts({ spent: spent(99, 1) }), limit)?.gate).toBe('plan_age');
    expect(last(facts({ spent: spent(100, 1) }), limit)?.gate).toBe('blast_radius_limit');
  });

  it('never pass a protected process, for any other facts', () => {
    const exemptions: Exemption[] = [
      'itself',
      'ancestor',
      'init',
      'kernel_thread',
      'protected_name',
      'other_user',
      'own_session',
      'young',
    ];
    const actions: Action[] = ['kill', 'pause', 'throttle', 'restart'];
    fc.assert(
      fc.property(
        fc.record({
          exemption: fc.option(fc.constantFrom(...exemptions)),
          protection: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
          action: fc.constantFrom(...actions),
          abandoned: fc.double({ min: 0, max: 1, noNaN: true }),
          eBhRejected: fc.boolean(),
          started: fc.boolean(),
          memory: fc.double({ min: 0, max: 1e6, noNaN: true }),
          minPosterior: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
          maxKills: fc.option(fc.nat(), { nil: undefined }),
        }),
        ({
          exemption,
          protection,
          action,
          abandoned,
          eBhRejected,
          started,
          memory,
          minPosterior,
          maxKills,
        }) => {
          fc.pre(exemption !== null || protection !== undefined);
          const planned = assessment({
            exemption,
            eBhRejected,
            posterior: { useful: 1 - abandoned, useful_bad: 0, abandoned, zombie: 0 },
          });
          const results = evaluateGates(
            facts({ planned, protection, action, started, spent: spent(memory, 0) }),
            { requireKnownSignature: false, minPosterior, maxKills },
          );
          expect(results.some(stops)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('a size', () => {
  it.each([
    ['2GB', 2048],
    ['512MB', 512],
    ['512', 512],
    ['1.5G', 1536],
    ['1GiB', 1024],
    ['1048576B', 1],
    ['1024k', 1],
    ['1tb', 1024 * 1024],
  ])('of %s is %d megabytes', (text, megabytes) => {
    expect(parseSizeMb(text, 'max_blast_radius')).toBeCloseTo(megabytes, 6);
  });

  it.each(['', 'GB', '-1GB', '2 G B', '1e3MB', '2PB'])('"%s" is invalid', (text) => {
    expect(() => parseSizeMb(text, 'max_blast_radius')).toThrow(
      expect.objectContaining({ code: 'E_VALIDATION' }) as Error,
    );
  });
});
