import { createContext, Script } from 'node:vm';
import { cpuTimeMs } from '../../system/cpu-time-ms.ts';

const context = createContext({});
const script = new Script('action()');

/** How often an action is tried that got less processor time than its limit. */
const MAX_TRIES = 4;

/**
 * Calls a synchronous function and returns its result; throws an Error if it takes longer. Only the runtime can stop a loop in its own
 * thread: with the time limit of a script, which includes the functions that the script calls. That limit is in real time, so on a busy
 * machine the function is tried again, with twice the time, until it has used the limit as processor time. It must be repeatable.
 */
export function withinDeadline<T>(timeoutMs: number, what: string, action: () => T): T {
  const startMs = cpuTimeMs();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return runFor(timeoutMs * 2 ** (attempt - 1), action);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      if (attempt < MAX_TRIES && cpuTimeMs() - startMs < timeoutMs) continue;
      throw new Error(`${what} takes more than ${timeoutMs / 1000} seconds`, { cause: error });
    }
  }
}

function runFor<T>(timeoutMs: number, action: () => T): T {
  let result: { readonly value: T } | undefined;
  context['action'] = () => {
    result = { value: action() };
  };
  try {
    script.runInContext(context, { timeout: timeoutMs });
  } finally {
    delete context['action'];
  }
  return (result as { readonly value: T }).value;
}
