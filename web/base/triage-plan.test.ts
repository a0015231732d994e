import { describe, expect, it } from 'vitest';
import { evidenceOf, groupCandidates, type Candidate, type TriagePlan } from './triage-plan.ts';

const candidate = (pid: number, action: string, ledger: object[] = []): Candidate =>
  ({ pid, recommended_action: action, evidence_ledger: ledger }) as unknown as Candidate;

describe('a triage plan', () => {
  it('is grouped by what to do, the most urgent first, without empty groups', () => {
    const candidates = [candidate(1, 'review'), candidate(2, 'kill'), candidate(3, 'restart')];
    const groups = groupCandidates({ candidates } as unknown as TriagePlan);
    expect(groups.map(({ id, candidates: list }) => [id, list.map(({ pid }) => pid)])).toEqual([
      ['end', [2, 3]],
      ['review', [1]],
    ]);
  });

  it('shows signed evidence, the strongest first, in words', () => {
    const ledger = [
      { term: 'prior', cell: 'prior', log_odds: -1.25 },
      { term: 'parent', cell: 'orphaned', log_odds: 2 },
      { term: 'evidence', cell: 'log P(x)', log_odds: 0 },
    ];
    expect(evidenceOf(candidate(1, 'kill', ledger))).toEqual([
      { name: 'parent: orphaned', logOdds: 2, words: '7.4 times as likely if abandoned' },
      { name: 'before any evidence', logOdds: -1.25, words: '3.5 times as likely if in use' },
    ]);
  });
});
