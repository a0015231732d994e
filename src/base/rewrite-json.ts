import { createScanner, getNodeValue, parseTree, type Node, type ParseError } from 'jsonc-parser';
import { canonicalJson, isPlainObject } from './json.ts';
import { applyEdits, type TextEdit } from './text-edit.ts';

/** Configuration files of other programs: comments and trailing commas are allowed. */
const OPTIONS = { allowTrailingComma: true } as const;

type Path = readonly (string | number)[];

/** Parses a JSON object with comments; undefined if the text is anything else. An empty text or `null` is an empty object. */
export function parseJsonText(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const root = parseRoot(text, errors);
  // Not its `parse`, which takes a member named `__proto__` for the prototype.
  const value: unknown = root && getNodeValue(root);
  if (errors.length === 0 && value === null) return {};
  return errors.length === 0 && isPlainObject(value) ? value : undefined;
}

/**
 * Finds the edits that give a JSON text another value. Everything that is equal in both values keeps its bytes: comments, order,
 * indentation and line endings.
 */
export function rewriteJson(text: string, next: Readonly<Record<string, unknown>>): readonly TextEdit[] {
  if (text.trim() === '')
    return [{ offset: 0, removed: text, inserted: `${JSON.stringify(next, null, 2)}\n` }];
  const rewriting = new Rewriting(text);
  rewriting.change([], next);
  return rewriting.edits;
}

class Rewriting {
  readonly edits: TextEdit[] = [];
  readonly #newline: string;
  readonly #indent: string;
  #text: string;

  constructor(text: string) {
    this.#text = text;
    this.#newline = text.includes('\r\n') ? '\r\n' : '\n';
    this.#indent = /\n([ \t]+)["/]/u.exec(text)?.[1] ?? '  ';
  }

  change(path: Path, next: unknown): void {
    const node = this.#nodeAt(path);
    const current: unknown = getNodeValue(node);
    if (isSame(current, next)) return;
    if (isPlainObject(current) && isPlainObject(next)) this.#changeMembers(path, current, next);
    else if (Array.isArray(current) && Array.isArray(next) && isKept(next, current))
      this.#changeElements(path, current, next);
    else this.#replace(node.offset, node.length, this.#render(next, path.length));
  }

  #changeMembers(path: Path, current: Readonly<Record<string, unknown>>, next: object): void {
    for (const name of Object.keys(current)) {
      if (Object.hasOwn(next, name)) continue;
      // A name can be there more than once.
      while (memberOf(this.#nodeAt(path), name) !== undefined) this.#remove([...path, name]);
    }
    for (const [name, value] of Object.entries(next)) {
      if (Object.hasOwn(current, name)) this.change([...path, name], value);
      else this.#append(path, `${JSON.stringify(name)}: ${this.#render(value, path.length + 1)}`);
    }
  }

  /** Removes elements that are missing, and appends those that follow the kept ones. */
  #changeElements(path: Path, current: readonly unknown[], next: readonly unknown[]): void {
    const kept = keptElements(next, current);
    for (const index of [...current.keys()].toReversed())
      if (!kept.has(index)) this.#remove([...path, index]);
    for (const value of next.slice(kept.size)) this.#append(path, this.#render(value, path.length + 1));
  }

  #append(path: Path, text: string): void {
    const container = this.#nodeAt(path);
    const last = container.children?.at(-1);
    const line = this.#newline + this.#indent.repeat(path.length + 1);
    if (last !== undefined) {
      this.#replace(last.offset + last.length, 0, `,${line}${text}`);
      return;
    }
    const end = this.#newline + this.#indent.repeat(path.length);
    const hasLineBreak = this.#text
      .slice(container.offset, container.offset + container.length)
      .includes('\n');
    this.#replace(container.offset + 1, 0, `${line}${text}${hasLineBreak ? '' : end}`);
  }

  /** Removes a member or element with its separator: the comma and white space before it or, for the first one, after it. */
  #remove(path: Path): void {
    const siblings = this.#nodeAt(path.slice(0, -1)).children ?? [];
    const node = this.#nodeAt(path);
    const own = node.parent?.type === 'property' ? node.parent : node;
    const index = siblings.findIndex(({ offset }) => offset === own.offset);
    const [before, after] = [siblings[index - 1], siblings[index + 1]];
    const end = own.offset + own.length;
    if (before !== undefined) {
      const start = before.offset + before.length;
      this.#replace(start, end - start, '');
      return;
    }
    if (after === undefined) this.#removeComma(end);
    this.#replace(own.offset, (after?.offset ?? end) - own.offset, '');
  }

  /** Removes the comma that follows the only element: without any, a trailing comma is an error. */
  #removeComma(end: number): void {
    const scanner = createScanner(this.#text, true);
    scanner.setPosition(end);
    scanner.scan();
    const next = scanner.getTokenOffset();
    if (this.#text[next] === ',') this.#replace(next, 1, '');
  }

  #render(value: unknown, depth: number): string {
    return JSON.stringify(value, null, this.#indent).replaceAll(
      '\n',
      this.#newline + this.#indent.repeat(depth),
    );
  }

  #replace(offset: number, length: number, inserted: string): void {
    const edit = { offset, removed: this.#text.slice(offset, offset + length), inserted };
    this.edits.push(edit);
    this.#text = applyEdits(this.#text, [edit]);
  }

  #nodeAt(path: Path): Node {
    let node = parseRoot(this.#text, []);
    for (const segment of path)
      node = typeof segment === 'number' ? node?.children?.[segment] : node && memberOf(node, segment);
    if (node === undefined) throw new Error(`no value at ${path.join('.')}`);
    return node;
  }
}

/** Editors on Windows begin a file with a byte order mark. A space in its place keeps the offsets. */
function parseRoot(text: string, errors: ParseError[]): Node | undefined {
  return parseTree(text.replace(/^\uFEFF/u, ' '), errors, OPTIONS);
}

/** The value of a member. If its name is there more than once, the last one counts. */
function memberOf(object: Node, name: string): Node | undefined {
  return object.children?.findLast(({ children }) => children?.[0]?.value === name)?.children?.[1];
}

/** Whether an array begins with elements of another one, in their order. */
function isKept(next: readonly unknown[], current: readonly unknown[]): boolean {
  const kept = keptElements(next, current);
  return !next.slice(kept.size).some((value) => current.some((other) => isSame(value, other)));
}

/** The indexes of the elements that stay. */
function keptElements(next: readonly unknown[], current: readonly unknown[]): ReadonlySet<number> {
  const kept = new Set<number>();
  for (const [index, value] of current.entries()) {
    // Without the check of the size, a null would equal the missing element after the end of `next`.
    if (kept.size < next.length && isSame(value, next[kept.size])) kept.add(index);
  }
  return kept;
}

function isSame(one: unknown, two: unknown): boolean {
  return canonicalJson(one) === canonicalJson(two);
}
