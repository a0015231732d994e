import { desktop } from './families/desktop.ts';
import { editors } from './families/editors.ts';
import { multiplexers } from './families/multiplexers.ts';
import type { Family } from './situation.ts';

/** Written from the contract of triage alone, and never used for fitting. */
export const FAMILIES: readonly Family[] = [desktop, editors, multiplexers];
