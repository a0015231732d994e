import { createContext, Script } from 'node:vm';

const context = createContext({});
const script = new Script('action()');

/**
 * Calls a synchronous function and returns its result; throws an Error if it takes longer. Only the runtime can stop a loop in its own
 * thread: with the time limit of a script, which includes the functions that the script calls.
 */
export function withinDeadline<T>(timeoutMs: number, what: string, action: () => T): T {
  let result: { readonly value: T } | undefined;
  context['action'] = () => {
    result = { value: action() };
  };
  try {
    script.runInContext(context, { timeout: timeoutMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error(`${what} takes more than ${timeoutMs / 1000} seconds`, { cause: error });
  } finally {
    delete context['action'];
  }
  return (result as { readonly value: T }).value;
}
