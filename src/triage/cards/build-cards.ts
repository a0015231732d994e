import { conformalClass, conformalInterval } from './conformal-card.ts';
import type { Card, CardContext } from './card.ts';
import { alphaInvesting, eFdr } from './error-control.ts';
import { hazardTimeVarying } from './hazard-time-varying.ts';
import { posteriorCore } from './posterior-core.ts';
import { voi } from './voi-card.ts';

/** Builds the seven cards of the contract for one process. Their numbers depend only on snapshot, parameters and wealth. */
export function buildCards(context: CardContext): readonly Card[] {
  return [
    posteriorCore(context),
    hazardTimeVarying(context),
    conformalInterval(context),
    conformalClass(context),
    eFdr(context),
    alphaInvesting(context),
    voi(context),
  ];
}
