import { CLASSES } from '../../src/triage/assessment.ts';
import type { Metrics } from './metrics.ts';

/** Renders metrics as text. */
export function renderMetrics(title: string, metrics: Metrics): string {
  const { confusion, reliability, nullMean, discoveries } = metrics;
  const number = (value: number): string => value.toFixed(3);
  return [
    `## ${title}`,
    '',
    'Confusion (rows are the truth)',
    ['', ...CLASSES].map((of) => of.padStart(11)).join(''),
    ...CLASSES.map((truth) =>
      [truth.padStart(11), ...CLASSES.map((of) => String(confusion[truth][of]).padStart(11))].join(''),
    ),
    '',
    `Log loss ${number(metrics.logLoss)}, Brier ${number(metrics.brier)}, over ${metrics.processes} processes`,
    '',
    'Reliability of P(abandoned): predicted, observed, 95 % interval',
    ...reliability.map(
      (row) =>
        `  ${number(row.from)}–${number(row.to)}  ${number(row.predicted)}  ${number(row.observed)}  [${number(row.low)}, ${number(row.high)}]  n=${row.count}`,
    ),
    '',
    `Mean e-value of useful processes ${number(nullMean.mean)}, 95 % interval [${number(nullMean.low)}, ${number(nullMean.high)}], n=${nullMean.count} in ${nullMean.families} families; must be at most 1`,
    `  largest in a family: ${number(nullMean.worst.mean)} (${nullMean.worst.family})`,
    `Rejected by e-BH ${discoveries.rejected}, in use ${discoveries.inUse}; at 95 % below ${number(discoveries.bound)}`,
    `Actions on useful processes ${metrics.falseActions.length} of ${metrics.usefulTrials}; at 95 % below ${number(metrics.falseActionBound)}`,
    ...metrics.falseActions.map(({ scenario, label, action }) => `  ${action}: ${scenario}, ${label}`),
    `Abandoned listed ${metrics.abandoned - metrics.unlisted.length} of ${metrics.abandoned}`,
    ...metrics.unlisted.map(({ scenario, label }) => `  not listed: ${scenario}, ${label}`),
    `Abandoned with grounds proposed for termination ${metrics.withGrounds - metrics.missed.length} of ${metrics.withGrounds}`,
    ...metrics.missed.map(
      ({ scenario, label, action, posterior }) =>
        `  missed: ${scenario}, ${label} (${action}, ${number(posterior.abandoned)})`,
    ),
    '',
  ].join('\n');
}
