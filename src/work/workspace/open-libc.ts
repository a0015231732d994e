import { openLibc, type Libc } from '../../system/libc/libc.ts';

/** Opens the C library, or nothing where there is none that can be called; then weaker ways are taken, and named. */
export async function openLibcIfPresent(): Promise<Libc | undefined> {
  try {
    return await openLibc();
  } catch {
    return undefined;
  }
}
