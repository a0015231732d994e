import type { JSX } from 'preact';
import { shownStep, type State } from '../base/state.ts';
import { Glyph } from './glyph.tsx';

interface BadgeProps {
  readonly status: string;
  /** What an open run does now. */
  readonly step?: string | undefined;
}

/** The state of a run or job as glyph and word. */
export function Badge({ status, step }: BadgeProps): JSX.Element {
  return <StateBadge {...shownStep(status, step)} />;
}

export function StateBadge({ state, label }: { readonly state: State; readonly label: string }): JSX.Element {
  return (
    <span class={`badge ${state}`}>
      <Glyph state={state} />
      {label}
    </span>
  );
}
