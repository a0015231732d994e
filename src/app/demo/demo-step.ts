import type { JsonObject } from '../../base/json.ts';

/** One call of a program that a step made, as a person would type it. */
export interface DemoCall {
  readonly command: string;
  readonly exit_code: number | null;
  readonly duration_ms: number;
}

/** How a line is meant: something that was just shown to be so, something that was refused, words in between, or quoted text. */
export type DemoTone = 'shown' | 'refused' | 'plain' | 'quote';

export interface DemoLine {
  readonly tone: DemoTone;
  readonly text: string;
}

/** What a step has to tell; every line follows from what its calls answered and from what is on the disk. */
export interface DemoTale {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly DemoLine[];
  readonly facts: JsonObject;
  /** What this machine cannot do as well as others, and why. */
  readonly weaker?: string | undefined;
}

export interface DemoStep extends DemoTale {
  readonly step: number;
  readonly steps: number;
  readonly calls: readonly DemoCall[];
}

export const shown = (text: string): DemoLine => ({ tone: 'shown', text });
export const refused = (text: string): DemoLine => ({ tone: 'refused', text });
export const plain = (text: string): DemoLine => ({ tone: 'plain', text });
export const quote = (text: string): DemoLine => ({ tone: 'quote', text });
