import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { checkValue } from './check-value.ts';
import type { Command } from './command.ts';
import { outputOf } from './shape-reply.ts';

/** Fails if an answer, or an item of a stream, does not match the schema that the command declares. */
export async function assertOutput(command: Command, data: JsonObject): Promise<void> {
  const checked = await checkValue(outputOf(command), data);
  if (!('problems' in checked)) return;
  const problems = checked.problems.map(({ path, problem }) => ({
    field: path.map(String).join('.'),
    problem,
  }));
  const [first] = problems;
  throw new Fault(
    'E_UNKNOWN',
    `The answer of "${command.path}" does not match its schema: ${first?.field} ${first?.problem}.`,
    { hint: 'This is a bug of the program: correct the answer or its output schema.', details: { problems } },
  );
}
