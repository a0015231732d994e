import { beforeAll, describe, expect, test } from 'vitest';
import { assess } from '../../src/triage/assess.ts';
import { DEFAULT_PARAMETERS } from '../../src/triage/parameters/load-parameters.ts';
import { LONG } from '../fixtures/start-node.ts';
import { CORPUS, recordCorpus, SITUATIONS, type Recording } from './corpus.ts';
import { leaveOneFamilyOut, observeAll, type Verdict } from './evaluate.ts';
import { fitCounts } from './fit-counts.ts';
import { scoreVerdicts, type Metrics } from './metrics.ts';

/** Bystanders are many of the same; a long run plays them too. */
const PLAYED = LONG ? CORPUS : SITUATIONS;
const LEAST_FOUND = 0.95;
const TWO_DAYS_MS = 2 * 24 * 3_600_000;

describe('situations of known truth', () => {
  let recording: Recording;
  let metrics: Metrics;
  beforeAll(async () => {
    recording = await recordCorpus(PLAYED);
    metrics = scoreVerdicts(leaveOneFamilyOut(recording, DEFAULT_PARAMETERS));
  }, 240_000);

  test('are at least forty, of every kind', () => {
    expect(SITUATIONS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(recording.labelled.map(({ truth }) => truth))).toEqual(
      new Set(['useful', 'useful_bad', 'abandoned', 'zombie']),
    );
    // Whatever the machine lacks, most of them are played.
    expect(recording.omitted.length).toBeLessThan(10);
  });

  test('are judged without a single false kill by a model that has not seen the family', () => {
    expect(namesOf(metrics.falseKills)).toEqual([]);
  });

  test('give away nineteen of twenty abandoned processes', () => {
    expect(metrics.recall, namesOf(metrics.missed).join('; ')).toBeGreaterThanOrEqual(LEAST_FOUND);
  });

  test('give e-values with a mean of at most one where nobody was abandoned', () => {
    expect(metrics.nullMean.mean).toBeLessThanOrEqual(1);
  });

  test('are judged no worse two days later', () => {
    const later = scoreVerdicts(leaveOneFamilyOut(recording, DEFAULT_PARAMETERS, TWO_DAYS_MS));
    expect(namesOf(later.falseKills)).toEqual([]);
    expect(later.recall, namesOf(later.missed).join('; ')).toBeGreaterThanOrEqual(LEAST_FOUND);
  });

  test('are judged by the shipped parameters as they should be', () => {
    const judged = assess(recording.snapshot, DEFAULT_PARAMETERS, { alpha: 0.025 });
    const truth = new Map(recording.labelled.map(({ pid, truth }) => [pid, truth]));
    const kills = judged.assessments.filter(
      ({ pid, recommended_action }) => truth.has(pid) && recommended_action === 'kill',
    );
    expect(kills.filter(({ pid }) => truth.get(pid) !== 'abandoned').map(({ cmd_full }) => cmd_full)).toEqual(
      [],
    );
    expect(kills.length).toBeGreaterThanOrEqual(
      LEAST_FOUND * [...truth.values()].filter((of) => of === 'abandoned').length,
    );
  });

  test('another user’s process is exempt', () => {
    const other = recording.labelled.find(({ label }) => label === 'other');
    if (other === undefined) return;
    const found = assess(recording.snapshot, DEFAULT_PARAMETERS, {
      alpha: 0.025,
      pids: [other.pid],
    }).assessments.find(({ pid }) => pid === other.pid);
    expect(found?.exemption).toBe('other_user');
  });

  test('teach the model nothing about the family that is left out', () => {
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
