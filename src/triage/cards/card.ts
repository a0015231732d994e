import type { JsonObject } from '../../base/json.ts';
import type { Assessment, Judgement } from '../assessment.ts';
import type { Bet, Wealth } from '../decision/alpha-investing.ts';
import type { Parameters } from '../parameters/model-parameters.ts';

export const CARD_IDS = [
  'posterior_core',
  'hazard_time_varying',
  'conformal_interval',
  'conformal_class',
  'e_fdr',
  'alpha_investing',
  'voi',
] as const;

/** One piece of the mathematics behind a judgement: what was computed, with which numbers, and what it means. */
export interface Card {
  readonly id: (typeof CARD_IDS)[number];
  readonly title: string;
  readonly equations: readonly string[];
  readonly values: JsonObject;
  readonly intuition: string;
}

export interface CardContext {
  readonly assessment: Assessment;
  readonly judgement: Judgement;
  readonly parameters: Parameters;
  /** The wealth before the bet of this plan, and the bet. */
  readonly wealth: Wealth;
  readonly bet: Bet;
}
