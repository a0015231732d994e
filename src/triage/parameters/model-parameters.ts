import * as z from 'zod/mini';

/**
 * Everything the model believes before it looks. The order of classes in a row of losses is useful, useful_bad, abandoned, zombie.
 * Built when it is asked for: the shipped parameters need no check at every start.
 */
export function createParametersSchema() {
  const share = z.number().check(z.gte(0), z.lte(1));
  const byClass = z.object({ useful: share, useful_bad: share, abandoned: share, zombie: share });
  // A row is a distribution over the cells of a block; zombies have none, since their state says all.
  const row = z.record(z.string(), z.number().check(z.gt(0)));
  const rows = z.object({ useful: row, useful_bad: row, abandoned: row });
  const plainTable = z.object({ strength: z.number().check(z.gt(0)), base: rows });
  const conditionalTable = z.object({ strength: z.number().check(z.gt(0)), whole: rows, lost: rows });
  const losses = z.array(z.number().check(z.gte(0))).check(z.length(4));
  const scores = z.array(share);
  const names = z.array(z.string().check(z.minLength(1)));
  return z.object({
    version: z.string(),
    names: z.object({ protected: names, reapers: names, wrappers: names }),
    priors: byClass,
    thresholds: z.object({ kill: share, review: share }),
    losses: z.object({
      spare: losses,
      review: losses,
      pause: losses,
      throttle: losses,
      restart: losses,
      kill: losses,
    }),
    confidence: z.object({ very_high: share, high: share, medium: share }),
    /** `nullMean` is the measured mean of e-values over useful processes; above 1 it divides them all. */
    fdr: z.object({ alpha: share, nullMean: z.number().check(z.gt(0)) }),
    conformal: z.object({ level: share, minimum: z.int().check(z.gte(1)) }),
    state: z.object({ matched: share, other: share }),
    tables: z.object({
      anchor: plainTable,
      streams: z.extend(conditionalTable, { marked: rows }),
      cwd: conditionalTable,
      signature: conditionalTable,
      activity: plainTable,
      loss_age: plainTable,
      network: plainTable,
      writes: plainTable,
    }),
    /** What was counted on labelled processes: block, class, cell. Written by the fit, added to the base by its strength. */
    counts: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.number().check(z.gte(0))))),
    /** Non-conformity, one minus the posterior of the true class, of processes the model had not seen. */
    reference: z.object({ useful: scores, useful_bad: scores, abandoned: scores, zombie: scores }),
    hazard: z.object({
      boundsMinutes: z.array(z.number().check(z.gte(0))),
      ratesPerHour: z.array(z.number().check(z.gte(0))),
    }),
    probes: z.object({ wait: z.object({ name: z.string(), cost: z.string(), stirs: byClass }) }),
    signatures: z.array(z.object({ name: z.string(), kind: z.string(), pattern: z.string() })),
  });
}

export type Parameters = z.infer<ReturnType<typeof createParametersSchema>>;
