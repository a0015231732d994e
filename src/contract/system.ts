import type { Clock } from '../base/clock.ts';

/** The program that runs. */
export interface Executable {
  readonly path: string;
  /** For people and doctor: `node 24.21.0`, `bun 1.4.4`. */
  readonly runtime: string;
  /** How this program is started again, by another process or at another time. */
  readonly command: readonly string[];
}

/** Who runs the process, as the operating system sees it. */
export interface Account {
  readonly user: string;
  readonly uid: number;
  readonly euid: number;
  readonly gid: number;
  readonly host: string;
}

/** Everything outside the program that commands may use; entrypoints supply it, tests may vary it. */
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
  /** Reads all of standard input; must refuse more than the limit, a terminal, and an input that stays silent for `waitMs`. */
  readonly readStdin: (maxBytes: number, waitMs?: number) => Promise<Uint8Array>;
}
