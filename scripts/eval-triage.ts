/**
 * Runs all scenarios with real processes, assesses each family with parameters fitted on the others, and prints metrics. Exits with 1 if
 * there is an action on a useful process, or too many abandoned ones are not listed or not proposed for an end.
 */
import { DEFAULT_PARAMETERS } from '../src/triage/parameters/load-parameters.ts';
import { CORPUS, recordCorpus } from '../test/scenarios/corpus.ts';
import { leaveOneFamilyOut } from '../test/scenarios/evaluate.ts';
import { scoreVerdicts } from '../test/scenarios/metrics.ts';
import { renderMetrics } from '../test/scenarios/render-metrics.ts';

const TWO_DAYS_MS = 2 * 24 * 3_600_000;
const LISTED = 0.95;
const PROPOSED = 0.75;

const recording = await recordCorpus(CORPUS);
for (const name of recording.omitted) console.log(`Skipped, not supported on this machine: ${name}`);
console.log(
  `${CORPUS.length - recording.omitted.length} scenarios, ${recording.labelled.length} processes\n`,
);
let good = true;
for (const [title, older] of [
  ['As found, leaving one family out', 0],
  ['Two days later, leaving one family out', TWO_DAYS_MS],
] as const) {
  const metrics = scoreVerdicts(leaveOneFamilyOut(recording, DEFAULT_PARAMETERS, older));
  console.log(renderMetrics(title, metrics));
  good &&=
    metrics.falseActions.length === 0 &&
    metrics.unlisted.length <= (1 - LISTED) * metrics.abandoned &&
    (older === 0 || metrics.missed.length <= (1 - PROPOSED) * metrics.withGrounds) &&
    metrics.nullMean.mean <= 1;
}
process.exitCode = good ? 0 : 1;
