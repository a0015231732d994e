import type { Expansions } from '../../triage/operations/present-whole-plan.ts';

interface ExpansionFlags {
  readonly verbose: boolean;
  readonly include_prose: boolean;
  readonly prose_style?: 'terse' | 'conversational' | 'formal' | 'technical' | undefined;
  readonly galaxy_brain: boolean;
  readonly include_raw: boolean;
  readonly include_ledger: boolean;
}

/** Converts the expansion flags to a request. */
export function readExpansions(flags: ExpansionFlags): Expansions {
  return {
    verbose: flags.verbose,
    // --prose-style implies --include-prose.
    includeProse: flags.include_prose || flags.prose_style !== undefined,
    proseStyle: flags.prose_style,
    galaxyBrain: flags.galaxy_brain,
    includeRaw: flags.include_raw,
    includeLedger: flags.include_ledger,
  };
}
