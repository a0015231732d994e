import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { FRONTMATTER_SCHEMA, type Frontmatter } from './frontmatter-schema.ts';
import { validateLayer } from '../config/validate-layer.ts';

/** A prompt with what its head says about how to run it. */
export interface PromptFile {
  readonly path: string;
  readonly folder: string;
  readonly frontmatter: Frontmatter;
  /** Includes are expanded; variables are not. */
  readonly body: string;
}

const MAX_INCLUDES = 100;
const MAX_PROMPT_BYTES = 4 * 1024 * 1024;

/**
 * Reads a `.ai` file: optional `#!` line, optional YAML between two `---` lines, then the prompt. With `within` neither the file nor
 * what it includes may lie outside of that folder, links followed: a stranger's prompt must not carry the reader's own files away.
 */
export async function readPromptFile(path: string, within?: string): Promise<PromptFile> {
  const text = read(path, path, within);
  const { head, body } = splitFrontmatter(text.replace(/^\uFEFF/u, '').replace(/^#![^\n]*(?:\n|$)/u, ''));
  const frontmatter = head === undefined ? {} : await parseFrontmatter(head, path);
  return { path, folder: dirname(path), frontmatter, body: expandIncludes(body, path, within) };
}

/** Expands `${include:file}` in a text that belongs to a file; relative names begin in that file's folder. */
export function expandIncludes(text: string, path: string, within?: string): string {
  const budget = { left: MAX_INCLUDES, within };
  const expanded = include(text, path, [realPath(path)], budget);
  if (Buffer.byteLength(expanded) > MAX_PROMPT_BYTES)
    throw broken(path, `is more than ${MAX_PROMPT_BYTES} bytes with what it includes`);
  return expanded;
}

interface Budget {
  left: number;
  readonly within: string | undefined;
}

function include(text: string, path: string, trail: readonly string[], budget: Budget): string {
  return text.replaceAll(/\$\{include:([^}\n]+)\}/gu, (_, name: string) => {
    const trimmed = name.trim();
    const target = isAbsolute(trimmed) ? trimmed : resolve(dirname(path), trimmed);
    const real = realPath(target);
    if (trail.includes(real)) throw broken(path, `includes itself through ${trimmed}`);
    budget.left -= 1;
    if (budget.left < 0) throw broken(path, `includes more than ${MAX_INCLUDES} files`);
    const included = splitFrontmatter(read(target, path, budget.within)).body;
    return include(included, target, [...trail, real], budget);
  });
}

function splitFrontmatter(text: string): { readonly head: string | undefined; readonly body: string } {
  const match = /^---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n|$)/u.exec(text);
  if (match === null) return { head: undefined, body: text };
  return { head: match[1] ?? '', body: text.slice(match[0].length) };
}

async function parseFrontmatter(head: string, path: string): Promise<Frontmatter> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(head, { uniqueKeys: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw broken(path, `has a frontmatter that is not YAML: ${problem.message}`);
  // A small file of aliases can stand for more values than memory holds.
  const value: unknown = document.toJS({ maxAliasCount: 50 });
  return validateLayer(FRONTMATTER_SCHEMA, value ?? {}, `${path} (frontmatter)`);
}

function read(path: string, from: string, within: string | undefined): string {
  if (within !== undefined && !realPath(path).startsWith(`${realPath(within)}/`))
    throw broken(
      from,
      path === from ? `lies outside of ${within}` : `includes ${path}, outside of ${within}`,
    );
  const text = readFileIfPresent(path);
  if (text !== undefined) return text;
  throw broken(from, path === from ? 'is not there' : `includes ${path}, which is not there`);
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(path);
}

function broken(path: string, problem: string): Fault {
  return new Fault('E_CONFIG', `${path} ${problem}.`, {
    hint: `Correct ${path}.`,
    details: { path, problem },
  });
}
