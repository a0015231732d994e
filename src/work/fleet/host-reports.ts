import * as v from 'valibot';
import { int, number } from '../../base/schema.ts';
import type { SharedDocument, SharedDocuments } from './shared-documents.ts';

const MAX_WORST = 5;
const MAX_CHARACTERS = 200;
const KEEP_SECONDS = 86_400;

const text = () => v.pipe(v.string(), v.maxLength(MAX_CHARACTERS));

const SCHEMA = v.object({
  host: text(),
  worker_id: text(),
  /** Why the processes could not be read. */
  problem: v.nullable(text()),
  scanned: int(),
  left_running: int(),
  memory_mb: number(),
  to_review: int(),
  worst: v.pipe(
    v.array(
      v.object({
        pid: int(),
        age_seconds: number(),
        command: text(),
        memory_mb: number(),
        action: text(),
        reason: text(),
      }),
    ),
    v.maxLength(MAX_WORST),
  ),
});

/** What a host tells about the processes that are left running on it. */
export type HostReport = v.InferOutput<typeof SCHEMA>;

/** A report, and when it was written. */
export type StoredReport = HostReport & Pick<SharedDocument, 'at' | 'ageMs'>;

/** Replaces the report of a host. It is kept for a day, even if the host is gone. */
export function shareHostReport(documents: SharedDocuments, report: HostReport): Promise<void> {
  return documents.put({ kind: 'hosts', group: report.host, name: '' }, report, KEEP_SECONDS);
}

/** Reads the last reports, of all hosts or of one; a report that this version cannot read is left out. */
export async function readHostReports(
  documents: SharedDocuments,
  host?: string,
): Promise<readonly StoredReport[]> {
  const found = await documents.read('hosts', host);
  return found
    .flatMap(({ value, at, ageMs }) => {
      const parsed = v.safeParse(SCHEMA, value);
      return parsed.success ? [{ ...parsed.output, at, ageMs }] : [];
    })
    .toSorted((left, right) => left.host.localeCompare(right.host));
}
