import { durationInWords } from '../../base/ago-in-words.ts';
import type { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { Paint } from '../../base/paint.ts';
import { plainText } from '../../base/plain-text.ts';
import { printable } from '../../base/text.ts';

const MAX_FILES = 6;
const MAX_TEST_LINES = 20;

/** Shows a successful job to people: what is in the tree, how long it took, and where to look next. */
export function renderJob(data: JsonObject, paint: Paint): string {
  const results = rowsOf(data.results);
  const where = typeof data.branch === 'string' ? `on branch ${data.branch}` : 'in the tree';
  const url = isPlainObject(data.pull_request) ? data.pull_request.url : undefined;
  return [
    paint.bold(`Job ${plainText(data.job_id)} ${plainText(data.status)}`),
    '',
    ...results.flatMap((row) => renderItem(row, paint, { where, root: plainText(data.root) })),
    '',
    totalOf(results),
    ...(typeof url === 'string' ? [`Pull request: ${printable(url)}`] : []),
    ...nextOf(results),
    '',
  ].join('\n');
}

/** Shows the items of a job that did not succeed, good ones first; the message of the fault follows. */
export function renderJobFault({ details }: Fault, paint: Paint): string {
  const results = rowsOf(details.results);
  if (results.length === 0) return '';
  const sorted = results.toSorted((a, b) => Number(b.status === 'success') - Number(a.status === 'success'));
  return [
    paint.bold(`Job ${plainText(details.job_id)} ${plainText(details.job_status)}`),
    '',
    ...sorted.flatMap((row) =>
      renderItem(row, paint, { where: 'in the tree', root: plainText(details.root) }),
    ),
    '',
    totalOf(results),
    '',
    '',
  ].join('\n');
}

function renderItem(
  row: JsonObject,
  paint: Paint,
  { where, root }: { readonly where: string; readonly root: string },
): string[] {
  const isGood = row.status === 'success';
  const metrics = isPlainObject(row.metrics) ? row.metrics : {};
  const spent = [
    ...(typeof metrics.execution_time_ms === 'number' ? [durationInWords(metrics.execution_time_ms)] : []),
    ...(typeof row.cost_usd === 'number' ? [dollars(row.cost_usd)] : []),
  ].join('  ');
  const mark = isGood ? paint.green('✓') : paint.red('✗');
  const outcome = isGood ? where : `${plainText(row.status)}, not ${where}`;
  const reason = row.denial_reason ?? row.error;
  return [
    `${mark} ${paint.bold(plainText(row.item_id))}  ${outcome}  ${paint.dim(spent)}`,
    ...(isGood ? filesOf(row, root).map((line) => `    ${line}`) : []),
    ...(!isGood && typeof reason === 'string' ? [`    ${printable(reason).split('\n')[0] ?? ''}`] : []),
    ...(!isGood ? testLinesOf(row).map((line) => `    ${paint.dim(`| ${line}`)}`) : []),
  ];
}

/** The last lines that the tests printed, if they failed. The whole output is in `work show`. */
function testLinesOf({ error, test_output: output }: JsonObject): string[] {
  if (typeof output !== 'string' || typeof error !== 'string' || !error.startsWith('Tests failed')) return [];
  const lines = printable(output)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('npm notice'));
  return lines.slice(-MAX_TEST_LINES);
}

/** The changed files as git shows them, or their number if there are many. */
function filesOf(row: JsonObject, root: string): string[] {
  const named = (letter: string, names: unknown): string[] =>
    (Array.isArray(names) ? names : []).map((name) => `${letter} ${plainText(name).replace(`${root}/`, '')}`);
  const files = [
    ...named('A', row.created_files),
    ...named('M', row.modified_files),
    ...named('D', row.deleted_files),
  ];
  if (files.length === 0) return ['no files changed'];
  return files.length <= MAX_FILES
    ? files
    : [...files.slice(0, MAX_FILES), `and ${files.length - MAX_FILES} more`];
}

function totalOf(results: readonly JsonObject[]): string {
  const good = results.filter(({ status }) => status === 'success').length;
  const bad = results.length - good;
  const costs = results.flatMap(({ cost_usd: cost }) => (typeof cost === 'number' ? [cost] : []));
  const cost = costs.length === 0 ? '' : `, cost ${dollars(costs.reduce((sum, each) => sum + each, 0))}`;
  return `${good} of ${results.length} applied${bad === 0 ? '' : `, ${bad} not`}${cost}`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(4)}`;
}

function nextOf(results: readonly JsonObject[]): string[] {
  const [first] = results;
  if (first === undefined) return [];
  return [
    `Review: deed work diff ${plainText(first.run_id)}   Undo: deed work rollback ${plainText(first.run_id)} --dry-run`,
  ];
}

function rowsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((row): row is JsonObject => isPlainObject(row)) : [];
}
