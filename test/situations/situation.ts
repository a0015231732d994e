/**
 * How a situation is started, and what is left of its owner when the plan is made:
 * - `owner`: the shell that started it lives and holds its pipes;
 * - `terminal`: the same on a terminal that is open;
 * - `hangup`: started on a terminal that was then closed, with its shell;
 * - `orphan`: the shell has ended and the other ends of the pipes are closed;
 * - `detached`: the shell has ended, and the streams were /dev/null from the start.
 */
export type Stage = 'owner' | 'terminal' | 'hangup' | 'orphan' | 'detached';

interface Options {
  readonly stage: Stage;
  /** Commands that must be installed. */
  readonly needs?: readonly string[];
  /** Why the program is not the real one; absent for real programs. */
  readonly standIn?: string;
  /** Uses a whole processor; such situations run in a batch of their own. */
  readonly busy?: true;
  /** A window under Xvfb. */
  readonly display?: true;
}

export interface Situation extends Options {
  readonly id: string;
  readonly label: 'keep' | 'abandoned';
  /** Abandoned, and of a kind that serves only its owner, whose parent, session leader and terminal are gone. */
  readonly eligible: boolean;
  /** Abandoned, but a person has to decide: an automatic action is false. */
  readonly reviewOnly: boolean;
  /** Why the label is right. */
  readonly why: string;
  /** A bash script with the functions of prelude.sh. */
  readonly run: string;
}

export interface Family {
  readonly name: string;
  readonly situations: readonly Situation[];
}

const NOT_ABANDONED = { eligible: false, reviewOnly: false };

export const keep = (id: string, options: Options, why: string, run: string): Situation => ({
  id,
  label: 'keep',
  ...NOT_ABANDONED,
  ...options,
  why,
  run,
});

export const abandoned = (id: string, options: Options, why: string, run: string): Situation => ({
  ...keep(id, options, why, run),
  label: 'abandoned',
});

export const eligible = (id: string, options: Options, why: string, run: string): Situation => ({
  ...abandoned(id, options, why, run),
  eligible: true,
});

export const reviewOnly = (id: string, options: Options, why: string, run: string): Situation => ({
  ...abandoned(id, options, why, run),
  reviewOnly: true,
});
