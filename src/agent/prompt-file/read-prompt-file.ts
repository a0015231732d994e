import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { decodeText } from '../../base/decode-text.ts';
import { Fault } from '../../base/fault.ts';
import { splitFrontmatter } from '../../base/split-frontmatter.ts';
import { readBytesIfPresent } from '../../system/durable-file.ts';
import { FRONTMATTER_SCHEMA, type Frontmatter } from './frontmatter-schema.ts';
import { findMisplacedFrontmatter } from './misplaced-frontmatter.ts';
import { validateLayer } from '../config/validate-layer.ts';

/** A prompt with the settings from its frontmatter. */
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
 * Reads a `.ai` file: optional `#!` line, optional YAML between two `---` lines, then the prompt. With `within`, the file and its
 * includes must resolve to paths inside that folder, so that an untrusted prompt cannot read the user's other files.
 */
export async function readPromptFile(path: string, within?: string): Promise<PromptFile> {
  const text = read(path, path, within);
  const content = text.replace(/^\uFEFF/u, '').replace(/^#![^\n]*(?:\n|$)/u, '');
  const { yaml, body } = splitFrontmatter(content);
  const firstLine = text.split('\n').length - content.split('\n').length + 1;
  // A prompt whose limits are silently read as text would run without them.
  const misplaced = yaml === undefined ? findMisplacedFrontmatter(content) : undefined;
  if (misplaced !== undefined) throw invalidPromptFile(path, misplaced);
  const frontmatter = yaml === undefined ? {} : await parseFrontmatter(yaml, path, firstLine);
  const prompt = expandIncludes(body, path, within);
  if (prompt.trim() === '') throw invalidPromptFile(path, 'contains no prompt');
  return { path, folder: dirname(path), frontmatter, body: prompt };
}

/** Expands `${include:file}` in the text of a file; relative names resolve from that file's folder. */
export function expandIncludes(text: string, path: string, within?: string): string {
  const scope = { remaining: MAX_INCLUDES, within };
  const expanded = include(text, path, [realPath(path)], scope);
  if (Buffer.byteLength(expanded) > MAX_PROMPT_BYTES)
    throw invalidPromptFile(path, `is larger than ${MAX_PROMPT_BYTES} bytes with its includes`);
  return expanded;
}

interface IncludeScope {
  remaining: number;
  readonly within: string | undefined;
}

function include(text: string, path: string, ancestors: readonly string[], scope: IncludeScope): string {
  return text.replaceAll(/\$\{include:([^}\n]+)\}/gu, (_, name: string) => {
    const trimmed = name.trim();
    const target = isAbsolute(trimmed) ? trimmed : resolve(dirname(path), trimmed);
    const real = realPath(target);
    if (ancestors.includes(real)) throw invalidPromptFile(path, `includes itself through ${trimmed}`);
    scope.remaining -= 1;
    if (scope.remaining < 0) throw invalidPromptFile(path, `includes more than ${MAX_INCLUDES} files`);
    // A file that is not an agent may start with a rule (`---`), which is text.
    const included = splitFrontmatter(read(target, path, scope.within)).body;
    return include(included, target, [...ancestors, real], scope);
  });
}

async function parseFrontmatter(yaml: string, path: string, fenceLine: number): Promise<Frontmatter> {
  const { parseDocument, LineCounter } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(yaml, { uniqueKeys: true, lineCounter, prettyErrors: false });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    const place = `line ${line + fenceLine}, column ${col}`;
    throw invalidPromptFile(path, `has invalid YAML frontmatter in ${place}: ${problem.message}`);
  }
  let value: unknown;
  try {
    // Nested YAML aliases can expand a small file beyond available memory.
    value = document.toJS({ maxAliasCount: 50 });
  } catch (error) {
    // An alias without an anchor, or too many aliases.
    throw invalidPromptFile(path, `has invalid YAML frontmatter: ${(error as Error).message}`);
  }
  return validateLayer(FRONTMATTER_SCHEMA, value ?? {}, `${path} (frontmatter)`);
}

function read(path: string, from: string, within: string | undefined): string {
  if (within !== undefined && !realPath(path).startsWith(`${realPath(within)}/`))
    throw invalidPromptFile(
      from,
      path === from ? `is outside ${within}` : `includes ${path}, which is outside ${within}`,
    );
  const bytes = readBytesIfPresent(path);
  if (bytes !== undefined) return decodeText(bytes, path);
  throw invalidPromptFile(from, path === from ? 'does not exist' : `includes ${path}, which does not exist`);
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(path);
}

function invalidPromptFile(path: string, problem: string): Fault {
  return new Fault('E_CONFIG', `${path} ${problem}.`, {
    hint: `Fix ${path}.`,
    details: { path, problem },
  });
}
