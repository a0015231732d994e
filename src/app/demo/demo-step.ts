import type { JsonObject } from '../../base/json.ts';

/** One call of a program, as a user would type it. */
export interface DemoCall {
  readonly command: string;
  readonly exit_code: number | null;
  readonly duration_ms: number;
}

/** The kind of a line: a verified fact, a failure, plain text, or quoted text. */
export type DemoTone = 'shown' | 'refused' | 'plain' | 'quote';

export interface DemoLine {
  readonly tone: DemoTone;
  readonly text: string;
}

/** The report of a step; every line follows from the output of its calls and from the disk. */
export interface StepReport {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly DemoLine[];
  readonly facts: JsonObject;
  /** What works less well on this machine, and why. */
  readonly weaker?: string | undefined;
}

export interface DemoStep extends StepReport {
  readonly step: number;
  readonly steps: number;
  readonly calls: readonly DemoCall[];
}

export const shown = (text: string): DemoLine => ({ tone: 'shown', text });
export const refused = (text: string): DemoLine => ({ tone: 'refused', text });
export const plain = (text: string): DemoLine => ({ tone: 'plain', text });
export const quote = (text: string): DemoLine => ({ tone: 'quote', text });

/** Why a step was skipped. */
export function describeMissing(programs: readonly string[]): string {
  return `There is no ${programs.join(', ')} on this machine, which this step needs: it was skipped.`;
}
