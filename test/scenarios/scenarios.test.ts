import { beforeAll, describe, expect, test } from 'vitest';
import { assess } from '../../src/triage/assess.ts';
import { DEFAULT_PARAMETERS } from '../../src/triage/parameters/load-parameters.ts';
import { LONG } from '../fixtures/start-node.ts';
import { CORPUS, recordCorpus, SCENARIOS, type Recording } from './corpus.ts';
import { leaveOneFamilyOut, observeAll, type Verdict } from './evaluate.ts';
import { fitCounts } from './fit-counts.ts';
import { scoreVerdicts, type Metrics } from './metrics.ts';

/** Bystanders are many similar processes, included only in long runs. */
const RECORDED = LONG ? CORPUS : SCENARIOS;
const MIN_RECALL = 0.95;
const TWO_DAYS_MS = 2 * 24 * 3_600_000;

describe('scenarios with known classes', () => {
  let recording: Recording;
  let metrics: Metrics;
  beforeAll(async () => {
    recording = await recordCorpus(RECORDED);
    metrics = scoreVerdicts(leaveOneFamilyOut(recording, DEFAULT_PARAMETERS));
  }, 240_000);

  test('are at least forty, of every class', () => {
    expect(SCENARIOS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(recording.labelled.map(({ truth }) => truth))).toEqual(
      new Set(['useful', 'useful_bad', 'abandoned', 'zombie']),
    );
    // Most of them run on every machine.
    expect(recording.omitted.length).toBeLessThan(10);
  });

  test('have no false kill with parameters fitted without their family', () => {
    expect(namesOf(metrics.falseKills)).toEqual([]);
  });

  test('have at least 95 % of the abandoned processes found', () => {
    expect(metrics.recall, namesOf(metrics.missed).join('; ')).toBeGreaterThanOrEqual(MIN_RECALL);
  });

  test('have a mean e-value of at most one over useful processes', () => {
    expect(metrics.nullMean.mean).toBeLessThanOrEqual(1);
  });

  test('have no worse results two days later', () => {
    const later = scoreVerdicts(leaveOneFamilyOut(recording, DEFAULT_PARAMETERS, TWO_DAYS_MS));
    expect(namesOf(later.falseKills)).toEqual([]);
    expect(later.recall, namesOf(later.missed).join('; ')).toBeGreaterThanOrEqual(MIN_RECALL);
  });

  test('have correct results with the built-in parameters', () => {
    const result = assess(recording.snapshot, DEFAULT_PARAMETERS, { alpha: 0.025 });
    const truth = new Map(recording.labelled.map(({ pid, truth }) => [pid, truth]));
    const kills = result.assessments.filter(
      ({ pid, recommended_action }) => truth.has(pid) && recommended_action === 'kill',
    );
    expect(kills.filter(({ pid }) => truth.get(pid) !== 'abandoned').map(({ cmd_full }) => cmd_full)).toEqual(
      [],
    );
    expect(kills.length).toBeGreaterThanOrEqual(
      MIN_RECALL * [...truth.values()].filter((of) => of === 'abandoned').length,
    );
  });

  test('exempt the process of another user', () => {
    const other = recording.labelled.find(({ label }) => label === 'other');
    if (other === undefined) return;
    const found = assess(recording.snapshot, DEFAULT_PARAMETERS, {
      alpha: 0.025,
      pids: [other.pid],
    }).assessments.find(({ pid }) => pid === other.pid);
    expect(found?.exemption).toBe('other_user');
  });

  test('are excluded from the fit for their own family', () => {
    const examples = observeAll(recording, DEFAULT_PARAMETERS);
    const all = JSON.stringify(fitCounts(examples));
    for (const family of new Set(examples.map((example) => example.family))) {
      const blind = fitCounts(examples.filter((example) => example.family !== family));
      if (examples.some((example) => example.family === family && example.truth !== 'zombie'))
        expect(JSON.stringify(blind)).not.toBe(all);
    }
  });
});

function namesOf(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.map(({ scenario, label }) => `${scenario}: ${label}`);
}
