import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { measurePaths } from '../../system/measure-folder.ts';
import { RETENTION_RULES } from '../retention/rules.ts';

/** A home that uses more is reported as a warning. */
const MAX_BYTES = 1024 ** 3;
/** Counted per part, so that a check does not take long in a home with very many files. */
const MAX_ENTRIES = 20_000;

/** The disk space of each part of the home; `gc --dry-run` lists the rules and what exceeds them. */
export const checkRetention: Checker = (context) => {
  const sizes = RETENTION_RULES.map(({ part, paths }) => ({
    part,
    bytes: measurePaths(paths(context), MAX_ENTRIES),
  }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const list = sizes.map(({ part, bytes }) => `${part} ${megabytes(bytes)}`).join(', ');
  const message = `The home uses ${megabytes(total)}: ${list}.`;
  const command = `${context.tool.name} gc --dry-run`;
  return total > MAX_BYTES ? warn('retention', message, command) : pass('retention', message);
};

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
