import { headAndTail } from '../brief/head-and-tail.ts';
import { roleOf, type LineRole } from './line-roles.ts';

interface Line {
  readonly at: number;
  readonly text: string;
  readonly role: LineRole;
  /** What two lines about the same test or error have in common. */
  readonly key: string;
}

/** Outputs have no limit; causes are near their beginning or their end. */
const MAX_CHARACTERS = 30_000;
/** Only the start of a line is matched: it shows what the line is about, and a pattern would take long on a very long line. */
const MAX_CLASSIFIED = 400;
const MIN_LINE = 40;
/** Only this many failed tests, and this many errors, are considered. */
const MAX_OF_ROLE = 60;
// eslint-disable-next-line no-control-regex -- escape sequences are the point
const ESCAPE_SEQUENCE = /\u001B(?:\[[\d;?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))/gu;
const MARK =
  /^(?:E\s|FAILED|FAIL:?|ERROR:?|--- FAIL:|[✗✘×✕✖●❌]|not ok \d*|\d+\)|\[ERROR\]|test (?=.*FAILED$))[\s-]*/u;
const DURATION = /\s*[([]?<?\s*\d+(?:\.\d+)?\s?m?s[)\]]?$|\s*\.\.\. FAILED$/u;

/**
 * Shortens the output of a failed command to its informative lines: failed tests and errors, each once and with its cause, then
 * details, the summary, places, and the last other lines. Headers and separators are left out.
 */
export function excerptOutput(output: string, length: number): string {
  const lines = linesOf(headAndTail(output, MAX_CHARACTERS));
  const chosen = new Map<Line, number>();
  let used = 0;
  const maxLine = Math.max(80, Math.floor(length * 0.6));
  for (const line of inOrderOfUse(lines)) {
    const size = Math.min(line.text.length, maxLine);
    const room = length - used;
    // A name or a cause that does not fit is shown in part.
    const shown = size <= room ? size : line.role === 'name' || line.role === 'cause' ? room : 0;
    if (shown < Math.min(size, MIN_LINE)) continue;
    chosen.set(line, shown);
    used += shown + 1;
  }
  if (chosen.size === 0) return headAndTail(lines.at(-1)?.text ?? output.trim(), length);
  return lines
    .filter((line) => chosen.has(line))
    .map((line) => shortenLine(line.text, chosen.get(line) ?? 0))
    .join('\n');
}

/** Shortens a line to a length that includes the mark of the gap. */
function shortenLine(text: string, length: number): string {
  return text.length <= length ? text : headAndTail(text, length - 3);
}

function linesOf(output: string): Line[] {
  const texts = output
    .replaceAll(ESCAPE_SEQUENCE, '')
    .split(/\r?\n|\r/u)
    .map((text) => text.trimEnd());
  const lines: Line[] = [];
  for (const [at, text] of texts.entries()) {
    const before = lines.at(-1);
    // Rust prints the message of a panic on the line after its place.
    const role =
      before !== undefined && isPanic(before.text) && text !== ''
        ? 'cause'
        : roleOf(text.slice(0, MAX_CLASSIFIED));
    lines.push({ at, text: shorten(text), role, key: keyOf(shorten(text).slice(0, MAX_CLASSIFIED)) });
  }
  const informative = lines.filter(({ role }) => role !== 'noise');
  return informative.length === 0 ? lines.filter(({ text }) => text !== '') : informative;
}

function isPanic(text: string): boolean {
  return /panicked at .*:\d+:$/u.test(text);
}

/** Runners indent their lines by depth, which an excerpt does not need. */
function shorten(text: string): string {
  return text
    .replace(/^E\s+/u, 'E ')
    .replace(/^_{3,} (.*) _{3,}$/u, '$1')
    .trimStart();
}

function keyOf(text: string): string {
  return text.trim().replace(MARK, '').replace(DURATION, '').trim().toLowerCase();
}

/** The most informative lines first: a name and a cause in turns, so that many failed tests do not leave out the first cause. */
function inOrderOfUse(lines: readonly Line[]): Line[] {
  const of = (role: LineRole): Line[] => lines.filter((line) => line.role === role);
  const names = distinct(of('name'), []);
  const causes = distinct(of('cause'), names);
  // The last error of a chain is the cause of the others.
  if (names.length === 0 && lines.some(({ text }) => /^Traceback|^Caused by:/u.test(text))) causes.reverse();
  const details = of('detail');
  const order: Line[] = [];
  for (let index = 0; index < Math.max(names.length, causes.length); index += 1) {
    const [name, cause] = [names[index], causes[index]];
    if (name !== undefined) order.push(name);
    if (cause !== undefined) order.push(...headingOf(cause, lines), cause);
    // The details of the first failure: its expected and actual values.
    if (index === 0) order.push(...details.slice(0, 4));
  }
  order.push(...of('summary').toReversed(), ...details, ...distinct(of('place'), order).slice(0, 6));
  // Source lines within two lines of a cause belong to it; others are omitted.
  const isNear = ({ at }: Line): boolean => causes.some((cause) => Math.abs(cause.at - at) <= 2);
  const isKnown = names.length + causes.length > 0;
  order.push(
    ...of('other')
      .filter((line) => !isKnown || isNear(line))
      .toReversed(),
  );
  return [...new Set(order)];
}

/** ESLint prints the name of a file once above its errors. */
function headingOf(cause: Line, lines: readonly Line[]): Line[] {
  if (!/^\d+:\d+\s+error/u.test(cause.text)) return [];
  const heading = lines.findLast(
    ({ at, text, role }) => at < cause.at && role === 'other' && /^\S*[/\\.]\S+$/u.test(text),
  );
  return heading === undefined ? [] : [heading];
}

/** Omits lines whose text is part of another one. */
function distinct(lines: readonly Line[], others: readonly Line[]): Line[] {
  const some = lines.slice(0, MAX_OF_ROLE);
  return some.filter(
    (line, index) =>
      !others.some(({ key }) => key.includes(line.key)) &&
      !some.some(
        ({ key }, other) =>
          other !== index &&
          (key === line.key ? other < index : line.key.length > 2 && key.includes(line.key)),
      ),
  );
}
