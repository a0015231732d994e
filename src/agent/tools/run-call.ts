import type { JsonObject } from '../../base/json.ts';
import { isFinalTurn, type OfferedTool, type SessionScope } from '../session/session-scope.ts';
import type { CallResult, RequestedCall } from '../transport/transport.ts';
import { budgetStub, executeCall, refuseCall, resultTokens, type RenderResult } from './execute-call.ts';
import { parseObjectLeniently } from './parse-json-leniently.ts';
import { renderProblems, schemaChecks, type ErrorObject } from './schema-checks.ts';

/** Counts calls against the limit of a turn; those inside a batch count like any other. */
export interface Allowance {
  readonly limit: number;
  readonly take: () => boolean;
}

export function createAllowance(limit: number): Allowance {
  let taken = 0;
  return {
    limit,
    take: () => {
      taken += 1;
      return taken <= limit;
    },
  };
}

/** Checks one call and runs it. What the checks refuse takes its place in the context like any result. */
export async function runCall(
  scope: SessionScope,
  call: RequestedCall,
  allowance: Allowance,
  render: RenderResult,
  onReserved: (release: () => void) => void = () => {},
): Promise<CallResult> {
  const refused = allowance.take()
    ? undefined
    : refuseCall(
        call,
        'limit',
        `the per-turn limit of ${allowance.limit} tool calls is exceeded; this call was not run`,
      );
  const checked = refused ?? checkCall(scope, call);
  const stub = 'tool' in checked ? budgetStub(call) : checked;
  const reservation = scope.guard.reserve(resultTokens(scope, render(stub)));
  onReserved(reservation.release);
  return 'tool' in checked ? executeCall(scope, { ...checked, reservation }, render) : checked;
}

/** Parses and validates; a refusal says what the model must do better. */
function checkCall(
  scope: SessionScope,
  call: RequestedCall,
): CallResult | { call: RequestedCall; tool: OfferedTool; args: JsonObject } {
  if (isFinalTurn(scope) && !scope.state.toolBudgetExceeded) {
    return refuseCall(call, 'unavailable', 'only the final report can be given now');
  }
  if (scope.state.toolBudgetExceeded) return budgetStub(call);
  const tool = scope.tools.get(call.name);
  if (tool === undefined) return refuseCall(call, 'unknown_tool', `there is no tool ${call.name}`);
  const args = parseArguments(scope, call);
  if (args === undefined) {
    return refuseCall(
      call,
      'invalid_arguments',
      'the arguments are not valid JSON; call the tool again with a JSON object',
    );
  }
  const problems = checkArguments(scope, tool, args);
  return problems.length > 0
    ? refuseCall(call, 'invalid_arguments', `invalid arguments: ${renderProblems(problems)}`)
    : { call, tool, args };
}

/** A schema may turn out to be unusable only now, as by a reference to nothing; then the tool itself must judge. */
function checkArguments(scope: SessionScope, tool: OfferedTool, args: JsonObject): readonly ErrorObject[] {
  try {
    return schemaChecks.compile(tool.definition.inputSchema)(args);
  } catch (error) {
    scope.log('WRN', `The schema of ${tool.definition.name} cannot be checked: ${String(error)}`);
    return [];
  }
}

/** Reads arguments, repairing them if need be; says in the log what was done to them. */
export function parseArguments(scope: SessionScope, call: RequestedCall): JsonObject | undefined {
  const parsed = parseObjectLeniently(call.arguments === '' ? '{}' : call.arguments);
  if (parsed === undefined) {
    scope.log('ERR', `The arguments of ${call.name} are not valid JSON.`, {
      tool: call.name,
      payload: call.arguments,
    });
    return undefined;
  }
  if (parsed.steps.length > 0) {
    scope.log('WRN', `The arguments of ${call.name} were repaired.`, {
      tool: call.name,
      steps: parsed.steps,
      original: call.arguments,
      repaired: JSON.stringify(parsed.value),
    });
  }
  return parsed.value;
}
