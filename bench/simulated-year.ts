/** Simulates a year of a busy home and prints its size at the end of each month: node bench/simulated-year.ts [share of a busy day] */
import { deedTool } from '../src/app/deed-tool.ts';
import { copyStoreOrRecordProblem } from '../src/app/store-backups.ts';
import { RETENTION_RULES, retentionContext } from '../src/app/retention/rules.ts';
import { measureFolder, measurePaths } from '../src/system/measure-folder.ts';
import { verifyReceipts } from '../src/work/receipt/verify-receipts.ts';
import { BUSY_DAY, fillDay, type BusyDay } from '../test/fixtures/busy-home.ts';
import { createKernelContext } from '../test/fixtures/kernel-context.ts';

const DAY_MS = 86_400_000;
/** The default of store.backups. */
const COPIES = 7;
const share = Number(process.argv[2] ?? '1');
const days = Number(process.argv[3] ?? '400');
const day = Object.fromEntries(
  Object.entries(BUSY_DAY).map(([name, count]) => [name, Math.ceil(count * share)]),
) as unknown as BusyDay;

const context = createKernelContext({ tool: deedTool });
const start = Date.parse('2025-01-01T12:00:00Z');
const megabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(0);
try {
  for (let index = 0; index < days; index += 1) {
    const now = start + index * DAY_MS;
    context.setTime(new Date(now).toISOString());
    await fillDay(context.home, day, now);
    // In this process, unlike the program, because the next day follows at once.
    copyStoreOrRecordProblem(context.home, COPIES, now);
    if (index % 7 !== 6) continue;
    const retention = retentionContext(context, { since: start });
    for (const rule of RETENTION_RULES) await rule.collect(retention);
    if (Math.floor(index / 28) === Math.floor((index - 7) / 28)) continue;
    const parts = RETENTION_RULES.map(
      ({ part, paths }) => `${part} ${megabytes(measurePaths(paths(context)))}`,
    );
    console.log(
      `day ${String(index + 1).padStart(3)}: ${megabytes(measureFolder(context.home.path)).padStart(5)} MB (${parts.join(', ')})`,
    );
  }
  const { checked, problems } = verifyReceipts(context.home.path);
  console.log(`${checked} receipts checked, ${problems.length} problems`);
} finally {
  context.dispose();
}
