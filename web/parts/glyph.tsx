import type { JSX } from 'preact';
import type { State } from '../base/state.ts';

/** Colour alone does not show a state: each has its own shape as well. */
const PATHS: Readonly<Record<State, string>> = {
  queued: 'M8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z',
  running: 'M8 3.5a4.5 4.5 0 1 1-4.5 4.5',
  waits: 'M8 2.8 13.2 8 8 13.2 2.8 8z',
  done: 'M3.5 8.4l3 3 6-6.6',
  failed: 'M4 4l8 8M12 4l-8 8',
  'rolled-back': 'M6 3.5 3 6.5l3 3M3.5 6.5h5.5a3.5 3.5 0 0 1 0 7H7',
};

export function Glyph({ state }: { readonly state: State }): JSX.Element {
  return (
    <svg class={`glyph ${state}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[state]} />
    </svg>
  );
}
