import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerWithoutProc } from './answer-without-proc.ts';
import { ROOT } from './build-constants.ts';

/** Variables with which the environment loads code into a compiled executable, debugs it, or turns it into the Bun runtime. */
const NAMES = ['BUN_OPTIONS', 'BUN_BE_BUN', 'BUN_INSPECT'] as const;

/**
 * Returns the path of a copy of a Bun runtime that ignores these variables, and answers when `/proc` is missing. Bun has no option for this,
 * so the last letter of each name is replaced by `=`, which no variable can contain. Only for ELF: a changed macOS executable would lose
 * its signature.
 */
export function hardenRuntime(runtime: string): string {
  const content = readFileSync(runtime);
  if (!content.subarray(0, 4).equals(Buffer.from('\u007fELF'))) return runtime;
  for (const name of NAMES) disable(content, name);
  answerWithoutProc(content);
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const folder = join(ROOT, '.cache/bun');
  const hardened = join(folder, `hardened-${digest}`);
  if (existsSync(hardened)) return hardened;
  mkdirSync(folder, { recursive: true });
  const temporary = `${hardened}.${process.pid}`;
  writeFileSync(temporary, content);
  chmodSync(temporary, 0o755);
  renameSync(temporary, hardened);
  return hardened;
}

/** Changes every occurrence in place. Throws if there is none: then this version of Bun stores the name differently. */
function disable(content: Buffer, name: string): void {
  let count = 0;
  for (let at = content.indexOf(name); at >= 0; at = content.indexOf(name, at + name.length)) {
    content[at + name.length - 1] = '='.charCodeAt(0);
    count += 1;
  }
  if (count === 0) throw new Error(`The Bun runtime does not contain ${name}; check how it reads it.`);
}
