/** One version of CHANGELOG.md. */
export interface ChangelogEntry {
  readonly version: string;
  readonly date: string | null;
  readonly changes: Readonly<Record<string, readonly string[]>>;
}
