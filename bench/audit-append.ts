import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendAudit } from '../src/contract/audit-log.ts';
import { auditEntry, fillAudit } from './fill-audit.ts';
import { measure, medianOf, ratioOf, type Case } from './measure.ts';
import type { Report } from './report.ts';

const ROUNDS = 500;
const SHORT = '10 lines';
const LONG = '100,000 lines';

/** The cost of an audit line per call, in a new log and in a long one. */
export async function auditAppend(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  try {
    const append = (name: string, lines: number): Case => {
      const home = fillAudit(join(folder, String(lines)), lines);
      return { name, run: async () => void (await appendAudit(home, auditEntry(), { sync: false })) };
    };
    const times = await measure([append(SHORT, 10), append(LONG, 100_000)], ROUNDS, 50);
    return [
      {
        title: 'Audit append',
        note: `Ratio to a log of ${SHORT}: the cost must not grow with the log.`,
        rows: [
          { name: SHORT, milliseconds: medianOf(times, SHORT), ratio: 1 },
          {
            name: LONG,
            milliseconds: medianOf(times, LONG),
            ratio: ratioOf(times, LONG, SHORT),
            target: 1.2,
          },
        ],
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
