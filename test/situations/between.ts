import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CHANGES, CHANGE_WORDS, targetOf, type Change } from './between-targets.ts';
import { missingPrograms } from './installed.ts';
import { runInNamespace } from './namespace.ts';
import type { ChangeResult } from './run-between.ts';

const ROUND_TIMEOUT_MS = 3 * 60_000;
/** The exit code where no program is installed. */
export const NOTHING_RAN = 2;

/**
 * Lets a veto appear between plan and apply: the target must be skipped with the reason, and a target without a change must end.
 * Returns the exit code.
 */
export async function runBetween(pt: string, rounds: number): Promise<number> {
  const missing = CHANGES.filter((change) => missingPrograms(targetOf(change)).length > 0);
  for (const change of missing)
    console.log(`Skipped, not installed: ${CHANGE_WORDS[change]}. Run test/situations/install.sh.`);
  const changes = CHANGES.filter((change) => !missing.includes(change));
  if (changes.length === 0) return NOTHING_RAN;
  const results: ChangeResult[] = [];
  for (let round = 0; round < rounds; round += 1) results.push(...(await runRound(pt, changes)));
  for (const change of changes) console.log(renderChange(results.filter((one) => one.change === change)));
  return missing.length === 0 && results.every(isRight) ? 0 : 1;
}

async function runRound(pt: string, changes: readonly Change[]): Promise<readonly ChangeResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-between-'));
  const result = join(folder, 'result.json');
  try {
    const code = await runInNamespace(
      'run-between.ts',
      [folder, pt, result, changes.join(',')],
      [folder, dirname(realpathSync(pt))],
      ROUND_TIMEOUT_MS,
    );
    if (code !== 0) throw new Error(`a round ended with ${code}`);
    return JSON.parse(readFileSync(result, 'utf8')) as ChangeResult[];
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Without a proposal in the plan nothing is proved, so that is wrong too. */
function isRight({ change, planned, outcomes, alive }: ChangeResult): boolean {
  if (planned !== 'kill') return false;
  if (change === 'nothing') return !alive;
  const skipped = outcomes.some(
    ({ outcome, reason }) => ['skipped', 'blocked'].includes(outcome) && reason !== '',
  );
  return alive && skipped;
}

function renderChange(results: readonly ChangeResult[]): string {
  const [first] = results;
  if (first === undefined) return '';
  const right = results.filter(isRight).length;
  const told = new Map<string, number>();
  for (const { planned, outcomes, alive } of results) {
    const said = outcomes.map(({ outcome, reason }) => `${outcome}: ${reason}`).join('; ');
    const line = `planned ${planned ?? 'nothing'}; ${said === '' ? 'no result' : said}; ${alive ? 'alive' : 'ended'}`;
    told.set(line, (told.get(line) ?? 0) + 1);
  }
  return [
    `${CHANGE_WORDS[first.change]}: ${right}/${results.length} right`,
    ...[...told].map(([line, times]) => `  ${times} × ${line}`),
  ].join('\n');
}
