import { openLibc, type Libc } from '../../system/libc/libc.ts';

/** Opens the C library; undefined if it is unavailable, which callers report as a fallback. */
export async function openLibcIfPresent(): Promise<Libc | undefined> {
  try {
    return await openLibc();
  } catch {
    return undefined;
  }
}
