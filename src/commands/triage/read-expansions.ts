import type { Expansions } from '../../triage/operations/present-whole-plan.ts';

interface Given {
  readonly verbose: boolean;
  readonly include_prose: boolean;
  readonly prose_style?: 'terse' | 'conversational' | 'formal' | 'technical' | undefined;
  readonly galaxy_brain: boolean;
  readonly include_raw: boolean;
  readonly include_ledger: boolean;
}

/** Turns the flags for more detail into a request. */
export function readExpansions(given: Given): Expansions {
  return {
    verbose: given.verbose,
    // Whoever names a style wants to read it.
    includeProse: given.include_prose || given.prose_style !== undefined,
    proseStyle: given.prose_style,
    galaxyBrain: given.galaxy_brain,
    includeRaw: given.include_raw,
    includeLedger: given.include_ledger,
  };
}
