import * as v from 'valibot';
import { int, number, record } from '../../base/schema.ts';
import { createAutomationEntries } from './automation-parameters.ts';

/**
 * The parameters of the model. The order of classes in a row of losses is useful, useful_bad, abandoned, zombie.
 * Created on demand: the built-in parameters are not validated at every start.
 */
export function createParametersSchema() {
  const share = v.pipe(number(), v.minValue(0), v.maxValue(1));
  const whole = v.pipe(int(), v.minValue(0));
  const byClass = v.object({ useful: share, useful_bad: share, abandoned: share, zombie: share });
  // A row is a distribution over the cells of a block. Zombies have none: their state identifies them.
  const row = record(v.pipe(number(), v.gtValue(0)));
  const rows = v.object({ useful: row, useful_bad: row, abandoned: row });
  const plainTable = v.object({ strength: v.pipe(number(), v.gtValue(0)), base: rows });
  const conditionalTable = v.object({ strength: v.pipe(number(), v.gtValue(0)), whole: rows, lost: rows });
  const losses = v.pipe(v.array(v.pipe(number(), v.minValue(0))), v.length(4));
  const scores = v.array(share);
  const names = v.array(v.pipe(v.string(), v.minLength(1)));
  return v.object({
    version: v.string(),
    /** `protected` are names of processes; `protectedPrograms` may also name a script, module or package. */
    names: v.object({ protected: names, protectedPrograms: names, reapers: names, wrappers: names }),
    priors: byClass,
    thresholds: v.object({ kill: share, review: share }),
    losses: v.object({
      spare: losses,
      review: losses,
      pause: losses,
      throttle: losses,
      restart: losses,
      kill: losses,
    }),
    confidence: v.object({ very_high: share, high: share, medium: share }),
    /**
     * `nullMean` is the measured mean of e-values over useful processes; if it is above 1, all e-values are divided by it. `heldOut` is
     * what e-BH rejected among processes of families that the parameters were not fitted on; null when it was not measured.
     */
    fdr: v.object({
      alpha: share,
      nullMean: v.pipe(number(), v.gtValue(0)),
      heldOut: v.nullable(v.object({ rejected: whole, inUse: whole, bound: share })),
    }),
    conformal: v.object({ level: share, minimum: v.pipe(int(), v.minValue(1)) }),
    state: v.object({ matched: share, other: share }),
    tables: v.object({
      anchor: plainTable,
      streams: v.object({ ...conditionalTable.entries, marked: rows }),
      cwd: conditionalTable,
      signature: conditionalTable,
      activity: plainTable,
      loss_age: plainTable,
      network: plainTable,
      writes: plainTable,
    }),
    /** Counts over labelled processes by block, class and cell. Written by the fit; weighted against the base by its strength. */
    counts: record(record(record(v.pipe(number(), v.minValue(0))))),
    /** Nonconformity scores of held-out processes: one minus the posterior of the true class. */
    reference: v.object({ useful: scores, useful_bad: scores, abandoned: scores, zombie: scores }),
    hazard: v.object({
      boundsMinutes: v.array(v.pipe(number(), v.minValue(0))),
      ratesPerHour: v.array(v.pipe(number(), v.minValue(0))),
    }),
    probes: v.object({ wait: v.object({ name: v.string(), cost: v.string(), stirs: byClass }) }),
    signatures: v.array(v.object({ name: v.string(), kind: v.string(), pattern: v.string() })),
    ...createAutomationEntries(),
  });
}

export type Parameters = v.InferOutput<ReturnType<typeof createParametersSchema>>;
