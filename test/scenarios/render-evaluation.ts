import type { Metrics } from './metrics.ts';

export interface Evaluation {
  readonly age: string;
  readonly metrics: Metrics;
}

/** Renders the published page of figures. */
export function renderEvaluation(scenarios: number, processes: number, rows: readonly Evaluation[]): string {
  return `# Triage evaluation

Written by \`npm run eval:triage\`. Do not edit it by hand.

${scenarios} scenarios with ${processes} labelled processes (\`test/scenarios\`). Each family is assessed with parameters that were fitted on all other
families, at four ages. Intervals are at 95 %; that of the mean e-value is a bootstrap over families.

## False actions and e-values

An e-value is the likelihood ratio of abandoned to in use. Over processes that are in use its mean must be at most 1; otherwise it claims more than the
data support.

| age | useful processes | automatic actions on them | mean e-value | interval | largest mean in a family |
|---|---|---|---|---|---|
${rows.map(renderErrors).join('\n')}

## False discoveries

The plan tests the processes with grounds and without a veto (e-BH). This is what it rejected as "in use", and how many of those were in use.

| age | rejected | in use | bound |
|---|---|---|---|
${rows.map(renderDiscoveries).join('\n')}

## What is found

| age | abandoned | listed | with grounds | proposed for termination | log loss | Brier |
|---|---|---|---|---|---|---|
${rows.map(renderFound).join('\n')}

The scenarios are stand-ins on one machine, and their authors know the code. What that means for the figures is in
[decision 83](decisions/0083-grounds-and-vetoes.md); [the situations](triage-situations.md) are the independent check.
`;
}

function renderErrors({
  age,
  metrics: { usefulTrials, falseActions, falseActionBound, nullMean },
}: Evaluation) {
  const { mean, low, high, families, worst } = nullMean;
  return row(
    age,
    `${usefulTrials} in ${families} families`,
    `${falseActions.length} (below ${percent(falseActionBound)})`,
    mean.toFixed(3),
    `${low.toFixed(3)} to ${high.toFixed(3)}`,
    `${worst.mean.toFixed(2)} (${worst.family})`,
  );
}

function renderDiscoveries({ age, metrics: { discoveries } }: Evaluation) {
  return row(age, discoveries.rejected, discoveries.inUse, `below ${percent(discoveries.bound)}`);
}

function renderFound({ age, metrics }: Evaluation) {
  const { abandoned, unlisted, withGrounds, missed, logLoss, brier } = metrics;
  return row(
    age,
    abandoned,
    abandoned - unlisted.length,
    withGrounds,
    withGrounds - missed.length,
    logLoss.toFixed(3),
    brier.toFixed(3),
  );
}

function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
