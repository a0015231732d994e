import { loadLibrary } from '../libc/libc.ts';
import { landlockAbi } from './landlock.ts';

/** The version of Landlock in this kernel; 0 if it is missing, disabled, or cannot be called. */
export async function readLandlockAbi(): Promise<number> {
  try {
    return landlockAbi(await loadLibrary());
  } catch {
    return 0;
  }
}
