import { Fault } from '../base/fault.ts';
import { isPlainObject } from '../base/json.ts';
import { LIMITS } from '../base/limits.ts';
import { unsafeText } from '../base/text.ts';
import { checkValue } from './check-value.ts';
import type { Command } from './command.ts';
import { setTwice } from './flags.ts';
import { parametersOf } from './command-parameters.ts';
import type { ValueProblem } from './value-problem.ts';

/** Validates parameters against the command's schema and adds the defaults; a fault names the invalid field. */
export async function validateParameters(
  command: Command,
  given: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  if (isEmpty(command.params) && isEmpty(given)) return {};
  assertSafeText(given, '');
  const params = await validateEach(command, resolveAliases(command, given));
  if (command.kind === 'batch' && (command.whole === undefined || params[command.targets] !== undefined))
    return { ...params, [command.targets]: checkTargets(command.targets, params) };
  return params;
}

/** Validates each parameter with its own schema: a command may use several schema libraries. */
async function validateEach(
  command: Command,
  given: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const params: Record<string, unknown> = {};
  const problems: ValueProblem[] = [];
  for (const [name, schema] of Object.entries(command.params)) {
    const isGiven = Object.hasOwn(given, name);
    const checked = await checkValue(schema, isGiven ? given[name] : undefined);
    if ('problems' in checked)
      problems.push(...checked.problems.map((each) => ({ ...each, path: [name, ...each.path] })));
    else if (isGiven || checked.value !== undefined) params[name] = checked.value;
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(command.params, name));
  if (unknown !== undefined) problems.push({ path: [], problem: '', unknown });
  if (problems.length > 0)
    throw (await import('./invalid-parameters.ts')).invalidParameters(command, problems);
  return params;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function resolveAliases(command: Command, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = { ...given };
  if (command.aliases === undefined) return values;
  for (const parameter of parametersOf(command)) {
    const { name, aliasOf, multiple } = parameter;
    if (aliasOf === undefined || !Object.hasOwn(values, name)) continue;
    const { [name]: value, [aliasOf]: already } = values;
    delete values[name];
    if (already === undefined) values[aliasOf] = multiple ? [value].flat() : value;
    else if (multiple && Array.isArray(already)) values[aliasOf] = already.concat(value);
    else throw setTwice(parameter);
  }
  return values;
}

function checkTargets(name: string, params: Readonly<Record<string, unknown>>): unknown[] {
  const targets = [...new Set(params[name] as unknown[])];
  if (targets.length === 0) {
    throw new Fault('E_VALIDATION', `--${name.replaceAll('_', '-')} is empty.`, {
      hint: 'Pass at least one target.',
      details: { field: name },
    });
  }
  if (targets.length > LIMITS.batchTargets) {
    throw new Fault(
      'E_VALIDATION',
      `A batch accepts at most ${LIMITS.batchTargets} targets, not ${targets.length}.`,
      {
        hint: 'Split the batch.',
        details: { field: name, max: LIMITS.batchTargets, given: targets.length },
      },
    );
  }
  return targets;
}

/** Text with NUL or invalid Unicode could not be stored and restored unchanged. */
function assertSafeText(value: unknown, path: string): void {
  if (typeof value === 'string') {
    const problem = unsafeText(value);
    if (problem === undefined) return;
    throw new Fault(
      'E_VALIDATION',
      `${path || 'The input'} contains text that cannot be stored: ${problem}.`,
      {
        hint: 'Send well-formed Unicode text without NUL characters.',
        details: { field: path, problem },
      },
    );
  }
  if (Array.isArray(value)) value.forEach((item, index) => assertSafeText(item, `${path}[${index}]`));
  else if (isPlainObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      assertSafeText(key, path === '' ? 'a key' : `a key of ${path}`);
      assertSafeText(member, path === '' ? key : `${path}.${key}`);
    }
  }
}
