import { useEffect, useState } from 'preact/hooks';
import { type CallError, read } from './api.ts';
import type { Reads } from './commands.ts';
import { onChanges, type Changes } from './live.ts';
import { createRequestLoop } from './request-loop.ts';
import { noteFailure } from './session.ts';

export interface ReadState<T> {
  /** The last answer; kept while it is read again, so that nothing flickers. */
  readonly data: T | undefined;
  readonly error: CallError | undefined;
  readonly refresh: () => void;
}

/** Reads a command, and again when something that it shows has changed. Without parameters nothing is read. */
export function useRead<C extends keyof Reads>(
  command: C,
  parameters: Reads[C]['input'] | undefined,
  isAffected: (changes: Changes) => boolean,
): ReadState<Reads[C]['output']> {
  const key = parameters === undefined ? undefined : JSON.stringify([command, parameters]);
  const [state, setState] = useState<{ key: string; data?: Reads[C]['output']; error?: CallError }>();
  const [refresh, setRefresh] = useState<() => void>(() => () => undefined);
  useEffect(() => {
    if (key === undefined || parameters === undefined) return;
    const loop = createRequestLoop(async (signal) => {
      try {
        const data = await read(command, parameters, signal);
        setState({ key, data });
      } catch (error) {
        if (signal.aborted) return;
        const fault = noteFailure(error);
        setState((last) => ({
          key,
          ...(last?.key === key && last.data && { data: last.data }),
          error: fault,
        }));
      }
    });
    setRefresh(() => loop.request);
    loop.request();
    const end = onChanges((changes) => {
      if (changes === undefined || isAffected(changes)) loop.request();
    });
    return () => {
      end();
      loop.stop();
    };
    // The key stands for command and parameters.
  }, [key]);
  const current = state?.key === key ? state : undefined;
  return { data: current?.data, error: current?.error, refresh };
}
