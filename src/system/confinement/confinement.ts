/**
 * What a confined command may do. The kernel enforces it with Landlock and seccomp, for the command and everything it starts; it
 * cannot be removed again.
 */
export interface Confinement {
  /** Folders and files that may be read and executed, with everything below them. */
  readonly read: readonly string[];
  /** Folders and files that may also be written, with everything below them. */
  readonly write: readonly string[];
  /** Device files that may be read and written. */
  readonly devices: readonly string[];
  /** Without a network, only Unix sockets can be created. */
  readonly network: boolean;
  readonly argv: readonly string[];
}

/** Truncating files outside is possible before this version of Landlock. */
export const MIN_LANDLOCK_ABI = 3;
/** Signals to processes outside and abstract Unix sockets are possible before this version. */
export const SCOPED_LANDLOCK_ABI = 6;
