import type { ProcessClass } from '../../src/triage/assessment.ts';
import type { ScenarioHost } from './scenario-host.ts';

/** Real processes with a known class. */
export interface Scenario {
  readonly name: string;
  /** Similar scenarios; a family is assessed with parameters fitted on the other families. */
  readonly family: string;
  /** What the machine must have; otherwise the scenario is skipped and reported. */
  readonly needs?: 'root' | 'script' | 'tmux' | 'vim';
  /** Uses a whole CPU; started last, so that it runs only briefly. */
  readonly busy?: true;
  /** The class by label. `worker*3` means worker1, worker2 and worker3. */
  readonly truth: Readonly<Record<string, ProcessClass>>;
  readonly run: (host: ScenarioHost, own: (label: string) => string) => Promise<void>;
}

/** Returns the labels of a scenario with their class, with repeated labels expanded. */
export function labelsOf({ truth }: Scenario): readonly { label: string; truth: ProcessClass }[] {
  return Object.entries(truth).flatMap(([label, of]) => {
    const [name = '', count] = label.split('*');
    if (count === undefined) return [{ label: name, truth: of }];
    return Array.from({ length: Number(count) }, (_, index) => ({ label: `${name}${index + 1}`, truth: of }));
  });
}

export const count = (times: number): readonly number[] =>
  Array.from({ length: times }, (_, index) => index + 1);
