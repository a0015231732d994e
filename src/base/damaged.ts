import { Fault } from './fault.ts';

/** The fault of a file that cannot be used because its content is not what was written. The hint says how to fix it. */
export function damaged(path: string, problem: string, hint: string, cause?: unknown): Fault {
  return new Fault('E_DAMAGED', `${path} is damaged: ${problem}.`, {
    hint,
    details: { path, problem },
    ...(cause !== undefined && { cause }),
  });
}

export function isDamaged(error: unknown): error is Fault & { readonly code: 'E_DAMAGED' } {
  return error instanceof Fault && error.code === 'E_DAMAGED';
}

/** Reads something; undefined if it is damaged. For readers that must not stop at one damaged file: others report it. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamaged(error)) return undefined;
    throw error;
  }
}
