import type { ProcessClass } from '../assessment.ts';
import { ALPHA_INVESTING, settleBet } from '../decision/alpha-investing.ts';
import { isEvidence } from '../inference/posterior.ts';
import { supportedRatio } from '../inference/support.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import type { Card, CardContext } from './card.ts';

export function eFdr({ assessment, judgement, parameters }: CardContext): Card {
  const seen = assessment.ledger.filter(isEvidence);
  const logLikelihood = (className: ProcessClass): number =>
    seen.reduce((sum, line) => sum + line.logLikelihood[className], 0);
  const { alpha, m, rejections, threshold } = judgement.eBh;
  return {
    id: 'e_fdr',
    title: 'Anytime-Valid FDR',
    equations: [
      'H: the process is in use',
      'e = p(x|abandoned) / max(p(x|useful), p(x|useful_bad)) / max(1, mean of e over useful processes)',
      'e-BH: the largest k with e_(k) ≥ m/(αk)',
    ],
    values: {
      log_p_abandoned: logLikelihood('abandoned'),
      log_p_useful: logLikelihood('useful'),
      log_p_useful_bad: logLikelihood('useful_bad'),
      null_mean: parameters.fdr.nullMean,
      largest_supported_ratio: supportedRatio(parameters),
      e_value: assessment.eValue,
      alpha,
      m,
      k: rejections,
      threshold,
      rejected: assessment.eBhRejected,
    },
    intuition: `The test covers the ${m} processes with grounds and without a veto. An e-value of ${assessment.eValue.toPrecision(3)} ${
      assessment.eBhRejected
        ? `reaches the threshold of ${threshold?.toPrecision(3)}`
        : 'does not reach the threshold'
    }. ${describeHeldOut(parameters)}`,
  };
}

/** What was measured on families of processes that the parameters were not fitted on; the plan promises no more than that. */
function describeHeldOut({ fdr: { heldOut } }: Parameters): string {
  if (heldOut === null) return 'How often such a process is in use was not measured with these parameters.';
  const { rejected, inUse, bound } = heldOut;
  return `Of ${rejected} labelled processes that were rejected in this way with parameters fitted without their family, ${inUse} were in use (below ${(bound * 100).toFixed(0)} % at 95 % confidence). Another machine can differ.`;
}

export function alphaInvesting({ judgement, wealth, bet }: CardContext): Card {
  const after = settleBet(wealth, bet, judgement.eBh.rejections);
  return {
    id: 'alpha_investing',
    title: 'Alpha-Investing',
    equations: [
      'α_t = min(0.05, W/2)',
      'without rejections: W ← W − α_t/(1−α_t)',
      'with rejections: W ← min(0.10, W + 0.025)',
    ],
    values: {
      wealth_before: wealth.amount,
      bet: bet.alpha,
      rejections: judgement.eBh.rejections,
      cost_if_nothing: bet.alpha / (1 - bet.alpha),
      reward_if_something: ALPHA_INVESTING.reward,
      wealth_after: after.amount,
      cap: ALPHA_INVESTING.cap,
    },
    intuition:
      'One bet per plan, fixed before the snapshot. Across plans it limits repeated testing, without a proven bound.',
  };
}
