import type { JSX } from 'preact';
import { shownState } from '../base/state.ts';
import { Glyph } from './glyph.tsx';

/** The state of a run or job as glyph and word. */
export function Badge({ status }: { readonly status: string }): JSX.Element {
  const { state, label } = shownState(status);
  return (
    <span class={`badge ${state}`}>
      <Glyph state={state} />
      {label}
    </span>
  );
}
