/**
 * Fits triage parameters on the corpus and writes them to the parameters file: counts by class, the scores of each family with parameters
 * fitted without it (the conformal reference), and the mean e-value of useful processes. Other parameters in the file do not change.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { CLASSES } from '../src/triage/assessment.ts';
import { DEFAULT_PARAMETERS } from '../src/triage/parameters/load-parameters.ts';
import { CORPUS, recordCorpus } from '../test/scenarios/corpus.ts';
import { age, leaveOneFamilyOut, observeAll, TWO_DAYS_MS } from '../test/scenarios/evaluate.ts';
import { countAllowed, fitCounts } from '../test/scenarios/fit-counts.ts';
import { scoreVerdicts } from '../test/scenarios/metrics.ts';
import { ROOT } from './build-constants.ts';

const FILE = `${ROOT}src/triage/parameters/parameters.json`;

const recording = await recordCorpus(CORPUS);
if (recording.omitted.length > 0)
  throw new Error(`cannot fit, scenarios are not supported on this machine: ${recording.omitted.join('; ')}`);
const verdicts = [0, TWO_DAYS_MS].flatMap((older) => leaveOneFamilyOut(recording, DEFAULT_PARAMETERS, older));
const scores = CLASSES.map((className) => [
  className,
  verdicts
    .filter(({ truth }) => truth === className)
    .map(({ posterior }) => round(1 - posterior[className]))
    .toSorted((a, b) => a - b),
]);
// The same processes at another age are not further evidence.
const { discoveries } = scoreVerdicts(leaveOneFamilyOut(recording, DEFAULT_PARAMETERS, TWO_DAYS_MS));
const fitted = {
  ...DEFAULT_PARAMETERS,
  counts: fitCounts(observeAll(recording, DEFAULT_PARAMETERS)),
  // Two days later: before that the age of the processes is a veto.
  grounds: {
    ...DEFAULT_PARAMETERS.grounds,
    counts: countAllowed(
      observeAll({ ...recording, snapshot: age(recording.snapshot, TWO_DAYS_MS) }, DEFAULT_PARAMETERS),
    ),
  },
  reference: Object.fromEntries(scores) as typeof DEFAULT_PARAMETERS.reference,
  fdr: {
    ...DEFAULT_PARAMETERS.fdr,
    nullMean: round(scoreVerdicts(verdicts).nullMean.mean),
    heldOut: { ...discoveries, bound: round(discoveries.bound) },
  },
};
writeFileSync(FILE, `${JSON.stringify(fitted, null, 2)}\n`);
execFileSync(`${ROOT}node_modules/.bin/oxfmt`, [FILE]);
console.log(`Fitted on ${recording.labelled.length} processes; wrote ${FILE}`);

function round(value: number): number {
  return Number(value.toFixed(6));
}
