import type { ProcessClass } from '../../src/triage/assessment.ts';
import type { Stage } from './stage.ts';

/** A situation whose truth is known because we made it. */
export interface Scenario {
  readonly name: string;
  /** Scenarios that are variations of one another; a family is judged only by what the others taught. */
  readonly family: string;
  /** What the machine must have, else the scenario is left out and said so. */
  readonly needs?: 'root' | 'script' | 'tmux' | 'vim';
  /** Burns a processor: played last, so that it does so for a moment only. */
  readonly busy?: true;
  /** Truth by label. A label may be played several times: `worker*3` stands for worker1, worker2, worker3. */
  readonly truth: Readonly<Record<string, ProcessClass>>;
  readonly play: (stage: Stage, own: (label: string) => string) => Promise<void>;
}

/** The labels of a scenario with their truth, starred ones counted out. */
export function labelsOf({ truth }: Scenario): readonly { label: string; truth: ProcessClass }[] {
  return Object.entries(truth).flatMap(([label, of]) => {
    const [name = '', count] = label.split('*');
    if (count === undefined) return [{ label: name, truth: of }];
    return Array.from({ length: Number(count) }, (_, index) => ({ label: `${name}${index + 1}`, truth: of }));
  });
}

export const count = (times: number): readonly number[] =>
  Array.from({ length: times }, (_, index) => index + 1);
