import * as v from 'valibot';
import { int, number, record } from '../../base/schema.ts';

/** The parameters that decide whether an action may be automatic: kinds, grace times and windows. */
export function createAutomationEntries() {
  const minutes = v.pipe(number(), v.minValue(0));
  const share = v.pipe(number(), v.minValue(0), v.maxValue(1));
  const whole = v.pipe(int(), v.minValue(0));
  const count = v.pipe(
    v.object({ allowed: whole, total: whole }),
    v.check(({ allowed, total }) => allowed <= total, '"allowed" must be at most "total"'),
  );
  return {
    /**
     * Kinds of programs for grounds and vetoes. `program` and `argument` are regular expressions for whole names and arguments; with an
     * argument that matches `except`, the program is of another kind. `executable` is one for the path of the executed file, where a script
     * with the same name is something else.
     */
    kinds: v.array(
      v.object({
        name: v.string(),
        role: v.picklist(['owner_bound', 'helper', 'never']),
        words: v.string(),
        program: v.string(),
        argument: v.optional(v.string()),
        except: v.optional(v.string()),
        executable: v.optional(v.string()),
      }),
    ),
    /**
     * `graceMinutes`: how long its owner must have been gone. `counts`: for how many labelled processes there were grounds and no veto.
     */
    grounds: v.object({ graceMinutes: minutes, counts: v.object({ useful: count, abandoned: count }) }),
    vetoes: v.object({
      minimumAgeMinutes: minutes,
      recentWriteMinutes: minutes,
      /** A regular expression for the paths of swap, journal and lock files and of unfinished downloads. */
      journals: v.string(),
      /** What counts as progress, by kind. `windowMinutes`: how far back new children and earlier snapshots count. */
      progress: record(
        v.object({ windowMinutes: minutes, cpuShare: share, ioBytes: v.pipe(number(), v.minValue(0)) }),
      ),
    }),
    /** Instances of one command under one parent: those before the newest are superseded. */
    generations: v.object({
      minimumInstances: v.pipe(int(), v.minValue(2)),
      minimumApartSeconds: v.pipe(number(), v.minValue(0)),
      /** With this many instances, those that were started at the same time as the newest count too. */
      crowd: v.pipe(int(), v.minValue(2)),
    }),
  };
}
