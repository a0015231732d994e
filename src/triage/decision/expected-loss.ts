import { ACTIONS, type Action, type ByClass } from '../assessment.ts';
import type { Parameters } from '../parameters/model-parameters.ts';

export type Losses = Readonly<Record<Action, number>>;

/** Returns the expected loss of each action under the posterior. */
export function expectedLosses(posterior: ByClass, { losses }: Pick<Parameters, 'losses'>): Losses {
  const loss = (action: Action): number => {
    const [useful = 0, usefulBad = 0, abandoned = 0, zombie = 0] = losses[action];
    return (
      posterior.useful * useful +
      posterior.useful_bad * usefulBad +
      posterior.abandoned * abandoned +
      posterior.zombie * zombie
    );
  };
  return {
    kill: loss('kill'),
    pause: loss('pause'),
    throttle: loss('throttle'),
    restart: loss('restart'),
    review: loss('review'),
    spare: loss('spare'),
  };
}

/** Returns the feasible action with the lowest expected loss; of equal ones, the less invasive one. */
export function cheapest(losses: Losses, infeasible: Readonly<Partial<Record<Action, string>>>): Action {
  let best: Action = 'spare';
  for (const action of ACTIONS.toReversed()) {
    if (infeasible[action] === undefined && losses[action] < losses[best]) best = action;
  }
  return best;
}
