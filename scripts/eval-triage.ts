/**
 * Runs all scenarios with real processes, assesses each family with parameters fitted on the others, prints metrics, and writes them to
 * docs/triage-evaluation.md. Exits with 1 if there is an action on a useful process, the mean e-value over useful processes is above one,
 * or too many abandoned ones are not listed or not proposed for termination; then the page is not written.
 */
import { writeFileSync } from 'node:fs';
import { DEFAULT_PARAMETERS } from '../src/triage/parameters/load-parameters.ts';
import { CORPUS, recordCorpus } from '../test/scenarios/corpus.ts';
import { HOUR_MS, leaveOneFamilyOut } from '../test/scenarios/evaluate.ts';
import { scoreVerdicts, type Metrics } from '../test/scenarios/metrics.ts';
import { renderEvaluation } from '../test/scenarios/render-evaluation.ts';
import { renderMetrics } from '../test/scenarios/render-metrics.ts';
import { ROOT } from './build-constants.ts';

const PAGE = `${ROOT}docs/triage-evaluation.md`;
const LISTED = 0.95;
const PROPOSED = 0.75;
const AGES = { 'as found': 0, '3 hours': 3, '2 days': 48, '8 days': 192 };

const recording = await recordCorpus(CORPUS);
for (const name of recording.omitted) console.log(`Skipped, not supported on this machine: ${name}`);
const scenarios = CORPUS.length - recording.omitted.length;
const processes = recording.labelled.length;
console.log(`${scenarios} scenarios, ${processes} processes\n`);

const rows = Object.entries(AGES).map(([age, hours]) => ({
  age,
  metrics: scoreVerdicts(leaveOneFamilyOut(recording, DEFAULT_PARAMETERS, hours * HOUR_MS)),
}));
for (const { age, metrics } of rows) console.log(renderMetrics(`Leaving one family out, ${age}`, metrics));
if (rows.every(isGood)) writeFileSync(PAGE, renderEvaluation(scenarios, processes, rows));
else process.exitCode = 1;

function isGood({ age, metrics }: { age: string; metrics: Metrics }): boolean {
  const { falseActions, unlisted, abandoned, missed, withGrounds, nullMean, discoveries } = metrics;
  // As found, the age of the processes is a veto.
  const isYoung = age === 'as found';
  return (
    falseActions.length === 0 &&
    nullMean.high <= 1 &&
    discoveries.inUse <= DEFAULT_PARAMETERS.fdr.alpha * discoveries.rejected &&
    unlisted.length <= (1 - LISTED) * abandoned &&
    (isYoung || missed.length <= (1 - PROPOSED) * withGrounds)
  );
}
