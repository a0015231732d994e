import * as v from 'valibot';
import { check } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import data from './parameters.json' with { type: 'json' };
import { createParametersSchema, type Parameters } from './model-parameters.ts';

/** The built-in parameters. */
export const DEFAULT_PARAMETERS: Parameters = data as Parameters;

/** Lists that a user's file extends: protection and kinds can be added but not removed. Added entries come first. */
const EXTENDED: ReadonlySet<string> = new Set([
  'triage.names.protected',
  'triage.names.protectedPrograms',
  'triage.kinds',
  'triage.signatures',
]);

/** Merges a user's overrides into the built-in parameters: objects by member; some lists are extended, all other values are replaced. */
export function loadParameters(overrides: unknown): Parameters {
  if (overrides === undefined || overrides === null) return DEFAULT_PARAMETERS;
  const merged = merge(DEFAULT_PARAMETERS, overrides, 'triage');
  const checked = check(createParametersSchema(), merged);
  if (!checked.success) {
    const [issue] = checked.issues;
    const path = v.getDotPath(issue) ?? '';
    throw new Fault('E_CONFIG', `Invalid triage parameter ${path}: ${issue.message}.`, {
      hint: 'Fix it in the parameters file, or remove it to use the built-in value.',
      details: { path },
    });
  }
  checkPatterns(checked.output);
  const { fdr } = checked.output;
  return {
    ...checked.output,
    // What was measured with the built-in evidence is not true of another.
    fdr: changesEvidence(overrides) ? { ...fdr, heldOut: null } : fdr,
    // Distinguishes changed parameters from the built-in ones.
    version: `${DEFAULT_PARAMETERS.version}+local`,
  };
}

/** The parts of a file that change ratios or who passes grounds and vetoes. A file cannot state how well it does. */
const EVIDENCE = ['counts', 'tables', 'grounds', 'vetoes', 'kinds', 'fdr', 'state'];

function changesEvidence(overrides: unknown): boolean {
  return isPlainObject(overrides) && EVIDENCE.some((name) => Object.hasOwn(overrides, name));
}

function merge(base: unknown, change: unknown, path: string): unknown {
  if (EXTENDED.has(path) && Array.isArray(base) && Array.isArray(change)) return [...change, ...base];
  if (!isPlainObject(base)) return change;
  if (!isPlainObject(change)) {
    throw new Fault('E_CONFIG', `The triage parameter ${path} must be an object.`, { details: { path } });
  }
  const joined: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    if (!Object.hasOwn(base, key)) {
      throw new Fault('E_CONFIG', `Unknown triage parameter: ${path}.${key}.`, {
        hint: `Known here: ${Object.keys(base).slice(0, 12).join(', ')}.`,
        details: { path: `${path}.${key}` },
      });
    }
    joined[key] = merge(base[key], value, `${path}.${key}`);
  }
  return joined;
}

function checkPatterns({ signatures, kinds, vetoes }: Parameters): void {
  for (const { name, pattern } of signatures) checkPattern(`signature ${name}`, pattern);
  for (const { name, program, argument = '', except = '' } of kinds) {
    checkPattern(`kind ${name}`, program);
    checkPattern(`kind ${name}`, argument);
    checkPattern(`kind ${name}`, except);
  }
  checkPattern('vetoes.journals', vetoes.journals);
}

function checkPattern(name: string, pattern: string): void {
  try {
    new RegExp(pattern, 'u').test('');
  } catch (error) {
    throw new Fault('E_CONFIG', `The pattern of ${name} is not a valid regular expression.`, {
      details: { name, pattern },
      cause: error,
    });
  }
}
