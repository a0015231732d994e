import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { splitLines } from '../../base/align-lines.ts';
import { Fault } from '../../base/fault.ts';
import type { WorkContext } from '../work-context.ts';
import { resolveTree } from '../workspace/resolve-tree.ts';
import type { BlameRequest } from './blame-lines.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** Reads the file of a call: a path, or a path and a line. A file whose name ends like a line is preferred. */
export async function readBlamedFile({ workspace }: WorkContext, given: string): Promise<BlameRequest> {
  const [, name = given, digits] = isFile(given) ? [] : (/^(.+):(\d{1,9})$/u.exec(given) ?? []);
  if (!isFile(name))
    throw new Fault('E_NOT_FOUND', `File not found: ${name}.`, {
      hint: 'Pass the path of a file, or <file>:<line>.',
      details: { field: 'file', path: name },
    });
  const real = realpathSync(name);
  const { root } = await resolveTree(workspace, dirname(real));
  const path = relative(root, real);
  const bytes = statSync(real).size > MAX_BYTES ? undefined : readFileSync(real);
  if (bytes === undefined || bytes.includes(0))
    throw new Fault('E_VALIDATION', `${path} is binary or larger than 4 MiB.`, {
      details: { field: 'file', path },
    });
  const text = bytes.toString('utf8');
  const line = digits === undefined ? undefined : Number(digits);
  const count = splitLines(text).length;
  if (line !== undefined && (line < 1 || line > count))
    throw new Fault('E_NOT_FOUND', `${path} has ${count} lines, not ${line}.`, {
      details: { field: 'file', path, line, lines: count },
    });
  return { root, path, text, line };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
