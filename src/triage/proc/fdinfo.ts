/** The contents of `<pid>/fdinfo/<fd>`. */
export interface FdInfo {
  readonly offset: number;
  readonly reads: boolean;
  readonly writes: boolean;
  /** `O_NONBLOCK`: set by Node and other runtimes with an event loop on a pipe that the program reads. */
  readonly nonblocking: boolean;
  readonly locks: number;
  /** The mount id of the file; 0 on older kernels. */
  readonly mountId: number;
}

const O_NONBLOCK = 0o4000;

export function parseFdinfo(text: string): FdInfo | undefined {
  const offset = /^pos:\s+(\d+)/mu.exec(text)?.[1];
  const flags = /^flags:\s+([0-7]+)/mu.exec(text)?.[1];
  if (offset === undefined || flags === undefined) return undefined;
  const bits = Number.parseInt(flags, 8);
  const mode = bits & 3;
  return {
    offset: Number(offset),
    reads: mode !== 1,
    writes: mode !== 0,
    nonblocking: (bits & O_NONBLOCK) !== 0,
    locks: text.match(/^lock:\s/gmu)?.length ?? 0,
    mountId: Number(/^mnt_id:\s+(\d+)/mu.exec(text)?.[1] ?? 0),
  };
}
