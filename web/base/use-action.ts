import { useState } from 'preact/hooks';
import type { CallError } from './api.ts';
import { noteFailure } from './session.ts';

export interface Action {
  readonly isBusy: boolean;
  readonly error: CallError | undefined;
  /** Runs an action, one at a time. Resolves with whether it succeeded; a failure is kept in `error`. */
  readonly run: (action: () => Promise<unknown>) => Promise<boolean>;
}

export function useAction(): Action {
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle');
  const run = async (action: () => Promise<unknown>): Promise<boolean> => {
    setState('busy');
    try {
      await action();
      setState('idle');
      return true;
    } catch (error) {
      setState(noteFailure(error));
      return false;
    }
  };
  return { isBusy: state === 'busy', error: state instanceof Error ? state : undefined, run };
}
