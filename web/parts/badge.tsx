import type { JSX } from 'preact';
import { shownState, type State } from '../base/state.ts';
import { Glyph } from './glyph.tsx';

/** The state of a run or job as glyph and word. */
export function Badge({ status }: { readonly status: string }): JSX.Element {
  return <StateBadge {...shownState(status)} />;
}

export function StateBadge({ state, label }: { readonly state: State; readonly label: string }): JSX.Element {
  return (
    <span class={`badge ${state}`}>
      <Glyph state={state} />
      {label}
    </span>
  );
}
