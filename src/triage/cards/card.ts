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

/** One derivation of an assessment: its equations, their values, and the meaning of the result. */
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
  /** The wealth before this plan, and its bet. */
  readonly wealth: Wealth;
  readonly bet: Bet;
}
