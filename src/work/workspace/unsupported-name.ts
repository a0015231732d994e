import { Fault } from '../../base/fault.ts';
import type { Skipped, Snapshot } from './workspace.ts';

const NOT_UTF8 = 'the name is not UTF-8';
const MAX_LISTED = 5;

/** Whether a path was decoded with loss: its name is not UTF-8, so no file has this path. */
export function isUnsupported(path: string): boolean {
  return path.includes('\uFFFD');
}

export function skipUnsupported(path: string): Skipped {
  return { path, reason: NOT_UTF8 };
}

/** An overlay contains such files without reading their names; a copy would lack them. */
export function assertCopyable({ skipped }: Snapshot): void {
  const paths = skipped.flatMap(({ path, reason }) => (reason === NOT_UTF8 ? [path] : []));
  if (paths.length === 0) return;
  throw new Fault('E_VALIDATION', `The tree cannot be copied: ${describeUnsupported(paths)}`, {
    hint: 'Rename the files, ignore them in .gitignore, or use an isolation with an overlay ("deed doctor" names it).',
    details: { field: 'root', paths: paths.slice(0, MAX_LISTED) },
  });
}

/** A sentence that names the first of the paths. */
export function describeUnsupported(paths: readonly string[]): string {
  const more = paths.length > MAX_LISTED ? ` and ${paths.length - MAX_LISTED} more` : '';
  return `names that are not UTF-8 are not supported: ${paths.slice(0, MAX_LISTED).join(', ')}${more}.`;
}
