import type { Clock } from '../base/clock.ts';

/** The running program. */
export interface Executable {
  readonly path: string;
  /** For display: `node 24.21.0`, `bun 1.4.4`. */
  readonly runtime: string;
  /** The command that starts this program again. */
  readonly command: readonly string[];
}

/** The account of the process, as the operating system reports it. */
export interface Account {
  readonly user: string;
  readonly uid: number;
  readonly euid: number;
  readonly gid: number;
  readonly host: string;
}

/** What commands may use of the process and the machine; entrypoints supply it, tests can replace it. */
export interface System {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly userHome: string;
  readonly platform: string;
  readonly arch: string;
  readonly account: Account;
  readonly clock: Clock;
  readonly executable: Executable;
  readonly fetch: typeof fetch;
  /** Whether standard input is a terminal, so that a person can have typed this call. */
  readonly hasTerminal?: (() => boolean) | undefined;
  /** Reads all of standard input; must reject more than the limit, a terminal, and an input without data for `waitMs`. */
  readonly readStdin: (maxBytes: number, waitMs?: number) => Promise<Uint8Array>;
}
