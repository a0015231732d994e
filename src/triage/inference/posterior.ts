import { CLASSES, type ByClass, type LedgerTerm, type ProcessClass } from '../assessment.ts';
import type { Observation } from '../features/observation.ts';
import { citeOrigin } from '../features/cite-origin.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { BLOCKS, cellOf, LIVING } from './likelihood.ts';
import type { Likelihood } from './likelihood-tables.ts';
import { supportedRatio, supportedShare } from './support.ts';

export interface Posterior {
  readonly ledger: readonly LedgerTerm[];
  readonly logPosterior: ByClass;
  readonly posterior: ByClass;
}

/**
 * log P(C|x) = log P(C) + Σ log P(block|C) − log P(x). Each summand is an entry of the ledger, and the log posterior is their sum in
 * order, so that a reader who adds them up in that order gets the same number.
 */
export function inferPosterior(
  seen: Observation,
  parameters: Parameters,
  likelihood: Likelihood,
  isAllowed: boolean,
): Posterior {
  const { priors, state } = parameters;
  const lines: LedgerTerm[] = [
    line(
      'prior',
      'prior',
      byClass((className) => Math.log(priors[className])),
    ),
    line(
      'state',
      seen.state,
      byClass((className) =>
        Math.log((className === 'zombie') === (seen.state === 'zombie') ? state.matched : state.other),
      ),
    ),
  ];
  if (isAllowed) lines.push(line('grounds', 'grounds, no veto', groundsShares(parameters), citeOrigin(seen)));
  // A zombie has no files and no activity: only its state is observable.
  for (const block of seen.state === 'zombie' || isAllowed ? [] : BLOCKS) {
    const cell = cellOf(block, seen);
    if (cell === undefined) continue;
    const shares = likelihood(block, cell);
    lines.push(
      line(
        block,
        cell,
        byClass((className) => Math.log(shares[className])),
        block === 'lifeline' ? citeOrigin(seen) : undefined,
      ),
    );
  }
  const limit = findLimit(lines, parameters);
  if (limit !== undefined) lines.push(limit);
  const joint = sumLedger(lines);
  const evidence = logSumExp(CLASSES.map((className) => joint[className]));
  lines.push(
    line(
      'evidence',
      'log P(x)',
      byClass(() => -evidence),
    ),
  );
  const logPosterior = sumLedger(lines);
  return {
    ledger: lines,
    logPosterior,
    posterior: byClass((className) => Math.exp(logPosterior[className])),
  };
}

/**
 * Grounds without a veto are one joint observation of owner, kind, streams, connections and files. It replaces the separate ones, so that
 * no fact counts twice. Its ratio is limited by the counts: with none of n useful processes observed, to n/3 (rule of three).
 */
function groundsShares({ grounds: { counts } }: Parameters): ByClass {
  const useful = supportedShare(counts.useful.allowed, counts.useful.total);
  const share = counts.abandoned.allowed / Math.max(1, counts.abandoned.total);
  const abandoned = Math.min(1, Math.max(useful, share));
  return byClass((className) => Math.log(className === 'abandoned' ? abandoned : useful));
}

/** Limits the evidence for "abandoned" as a whole; undefined when it is within what the counts support. */
function findLimit(lines: readonly LedgerTerm[], parameters: Parameters): LedgerTerm | undefined {
  const sums = sumLedger(lines.filter(isEvidence));
  const least = sums.abandoned - Math.log(supportedRatio(parameters));
  const raise = byClass((className) =>
    className === 'useful' || className === 'useful_bad' ? Math.max(0, least - sums[className]) : 0,
  );
  if (raise.useful === 0 && raise.useful_bad === 0) return undefined;
  return line('limit', `at most ${supportedRatio(parameters).toPrecision(3)}:1 by the counts`, raise);
}

/** The prior and its normalization are not evidence. */
export function isEvidence({ term }: LedgerTerm): boolean {
  return term !== 'prior' && term !== 'evidence';
}

/** Sums the entries of a ledger in order. */
export function sumLedger(ledger: readonly LedgerTerm[]): ByClass {
  return byClass((className) => ledger.reduce((sum, { logLikelihood }) => sum + logLikelihood[className], 0));
}

/**
 * The e-value against the hypothesis "in use": the likelihood ratio of abandoned to the better of the two useful classes. The prior is
 * excluded, because posterior odds are not an e-value. If the measured mean over useful processes is above one, it divides the ratio.
 */
export function eValue(ledger: readonly LedgerTerm[], { fdr }: Parameters): number {
  const seen = ledger.filter(isEvidence);
  if (seen.some(({ term, cell }) => term === 'state' && cell === 'zombie')) return 0;
  const [useful = 0, usefulBad = 0, abandoned = 0] = LIVING.map((className) =>
    seen.reduce((sum, { logLikelihood }) => sum + logLikelihood[className], 0),
  );
  return Math.exp(abandoned - Math.max(useful, usefulBad)) / Math.max(1, fdr.nullMean);
}

/** Returns the most probable class; of equal ones, the first. */
export function likeliest(posterior: ByClass): ProcessClass {
  return CLASSES.reduce(
    (best, className) => (posterior[className] > posterior[best] ? className : best),
    'useful',
  );
}

export function byClass(value: (className: ProcessClass) => number): ByClass {
  return {
    useful: value('useful'),
    useful_bad: value('useful_bad'),
    abandoned: value('abandoned'),
    zombie: value('zombie'),
  };
}

function line(term: LedgerTerm['term'], cell: string, logLikelihood: ByClass, about?: string): LedgerTerm {
  return {
    term,
    cell,
    ...(about !== undefined && { about }),
    logLikelihood,
    logOdds: logLikelihood.abandoned - logLikelihood.useful,
  };
}

function logSumExp(values: readonly number[]): number {
  const largest = Math.max(...values);
  return largest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - largest), 0));
}
