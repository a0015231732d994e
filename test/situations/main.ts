/**
 * Puts real programs in known situations and checks what `pt agent plan` proposes. Options: `--family <names>`, `--only <ids>`,
 * `--pt <executable>`, `--report <file>`, `--list`, `--between [--rounds <n>]`. Exits with 1 if a process that must be kept gets an
 * automatic action, or too few of the abandoned ones are found; with 2 if too many situations did not run.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../scripts/build-constants.ts';
import { planBatches } from './batches.ts';
import { runBetween } from './between.ts';
import { FAMILIES } from './corpus.ts';
import { missingPrograms } from './installed.ts';
import { runInNamespace } from './namespace.ts';
import type { BatchObservation } from './observation.ts';
import { renderInventory } from './render-inventory.ts';
import { renderScore, total } from './render-score.ts';
import { score } from './score.ts';
import type { Family, Situation } from './situation.ts';

const MIN_LISTED = 0.95;
const MIN_ENDED = 0.75;
const MAX_BROKEN = 0.1;
const BATCH_TIMEOUT_MS = 8 * 60_000;

const { values } = parseArgs({
  options: {
    family: { type: 'string' },
    only: { type: 'string' },
    pt: { type: 'string', default: join(ROOT, 'dist/bin/pt') },
    report: { type: 'string', default: join(ROOT, '.cache/situations/report.json') },
    list: { type: 'boolean', default: false },
    between: { type: 'boolean', default: false },
    rounds: { type: 'string', default: process.env.DEED_TEST_LONG === '1' ? '20' : '3' },
  },
});

if (values.list) console.log(renderInventory(FAMILIES));
else if (values.between) process.exitCode = await runBetween(values.pt, Number(values.rounds));
else process.exitCode = await runAll(selectFamilies());

function selectFamilies(): readonly Family[] {
  const names = values.family?.split(',');
  const ids = values.only?.split(',');
  return FAMILIES.filter(({ name }) => names?.includes(name) ?? true)
    .map(({ name, situations }) => ({
      name,
      situations: situations.filter(({ id }) => ids?.includes(id) ?? true),
    }))
    .filter(({ situations }) => situations.length > 0);
}

async function runAll(families: readonly Family[]): Promise<number> {
  const started = performance.now();
  const all = families.flatMap(({ situations }) => situations);
  const skipped = all
    .map((one) => ({ id: one.id, missing: missingPrograms(one) }))
    .filter(({ missing }) => missing.length > 0);
  for (const { id, missing } of skipped) console.log(`Skipped, not installed (${missing.join(', ')}): ${id}`);
  if (skipped.length > 0) console.log('To install the optional programs: sh test/situations/install.sh\n');
  const absent = new Set(skipped.map(({ id }) => id));
  const batches: BatchObservation[] = [];
  for (const batch of planBatches(all.filter(({ id }) => !absent.has(id))))
    batches.push(await runBatch(batch));
  const result = score(families, batches);
  const broken = batches.flatMap((batch) => batch.situations.filter(({ problem }) => problem !== undefined));
  const runnerActions = batches.flatMap((batch) => batch.runnerActions);
  for (const { id, problem } of broken) console.log(`Did not run: ${id}: ${problem}`);
  for (const { age, proposal } of runnerActions)
    console.log(`Action on a process of the runner (${age}): ${proposal.action} ${proposal.command}`);
  console.log(`\n${renderScore(result)}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`\n${renderInventory(families)}\nTook ${seconds} s.`);
  mkdirSync(dirname(values.report), { recursive: true });
  const plans = batches.flatMap((batch) => batch.plans);
  writeFileSync(
    values.report,
    JSON.stringify({ seconds, skipped, broken, runnerActions, plans, ...result, batches }, null, 1),
  );
  const sums = total(result.families);
  if (broken.length > MAX_BROKEN * all.length) return 2;
  const found = sums.listed >= MIN_LISTED * sums.abandoned && sums.ended >= MIN_ENDED * sums.eligible;
  return result.falseActions.length === 0 && runnerActions.length === 0 && found ? 0 : 1;
}

async function runBatch(batch: readonly Situation[]): Promise<BatchObservation> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-situations-'));
  const result = join(folder, 'observation.json');
  try {
    const code = await runInNamespace(
      'run-batch.ts',
      [folder, values.pt, result, batch.map(({ id }) => id).join(',')],
      [folder, dirname(realpathSync(values.pt))],
      BATCH_TIMEOUT_MS,
    );
    if (code !== 0)
      throw new Error(`a batch ended with ${code}; its situations: ${batch.map(({ id }) => id).join(', ')}`);
    return JSON.parse(readFileSync(result, 'utf8')) as BatchObservation;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
