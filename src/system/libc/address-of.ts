import type { NativeLibrary } from './symbols.ts';

/** The address of bytes, for structures that contain pointers. It is valid as long as the caller keeps a reference to the bytes. */
export function addressOf(library: NativeLibrary, bytes: Uint8Array): number {
  return library.memmove(bytes, bytes, 0).value;
}
