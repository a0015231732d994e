import { Fault } from '../base/fault.ts';
import { nearest } from '../base/nearest.ts';
import type { Command } from './command.ts';
import { parametersOf } from './command-parameters.ts';
import { GLOBAL_PARAMETERS } from './global-parameters.ts';
import type { ValueProblem } from './value-problem.ts';

/** The fault for parameters with problems; its message has the first one. */
export function invalidParameters(command: Command, found: readonly ValueProblem[]): Fault {
  const problems = found.map(({ path, problem, unknown }) =>
    unknown === undefined ? { field: path.join('.'), problem } : unknownParameter(command, unknown),
  );
  const [first] = problems;
  const parameter = parametersOf(command).find(({ name }) => name === first?.field);
  const shown = parameter?.flag ?? first?.field ?? 'input';
  const flag = first && globalFlag(first.field);
  return new Fault('E_VALIDATION', `${shown}: ${first?.problem ?? 'is not valid'}.`, {
    // If the message lists the allowed values, a reference to the description of the command adds nothing.
    ...(parameter?.allowed === undefined && {
      hint: flag
        ? `Pass ${flag} next to the parameters, not as one of them.`
        : `See: reference --command "${command.path}".`,
    }),
    details: { ...first, ...(parameter?.allowed && { allowed: parameter.allowed }), problems },
  });
}

type Problem = Readonly<Record<'field' | 'problem', string>> & { readonly suggestion?: string };

function unknownParameter(command: Command, field: string): Problem {
  const suggestion = nearest(
    field,
    parametersOf(command).map(({ name }) => name),
  );
  return {
    field,
    problem: `is not a parameter of this command${suggestion ? `; did you mean ${suggestion}` : ''}`,
    ...(suggestion && { suggestion }),
  };
}

/** The flag that a caller passed as a member of the parameters, such as `request_id` or `dryRun`. */
function globalFlag(field: string): string | undefined {
  const { queries, writes, dangerous, batches } = GLOBAL_PARAMETERS;
  const name = field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
  return [...queries, ...writes, ...dangerous, ...batches].find((global) => global.name === name)?.flag;
}
