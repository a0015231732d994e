import type { CommandContext } from '../../contract/command.ts';

/** Limits from the settings; times in ms. */
export interface RetentionLimits {
  readonly auditMonths: number;
  readonly eventsMs: number;
  readonly memoryVersions: number;
  readonly sessionsMs: number;
  readonly sessionsBytes: number;
  readonly accountingMs: number;
  readonly runsMs: number;
  readonly replayDays: number;
  readonly replayBytes: number;
}

export interface RetentionContext {
  readonly command: CommandContext;
  readonly limits: RetentionLimits;
  readonly now: number;
  /** Data written before this time is not deleted; 0 after a confirmed cleanup. */
  readonly since: number;
}

/** What a cleanup removes: files, rows or months, and the bytes on disk. Sizes of rows and of compressed data are estimates. */
export interface Removal {
  readonly items: number;
  readonly bytes: number;
}

/** How long the data of one part of the home is kept. */
export interface RetentionRule {
  readonly part: string;
  /** What is kept, for people. */
  readonly describe: (limits: RetentionLimits) => string;
  /** The files and folders of this part. */
  readonly paths: (context: CommandContext) => readonly string[];
  /** Contract: reads only. */
  readonly plan: (context: RetentionContext) => Promise<Removal>;
  readonly collect: (context: RetentionContext) => Promise<Removal>;
}

export const DAY_MS = 86_400_000;
export const NOTHING: Removal = { items: 0, bytes: 0 };

export function daysOf(ms: number): string {
  return `${Math.round(ms / DAY_MS)} days`;
}
