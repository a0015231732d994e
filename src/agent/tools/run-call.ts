import type { JsonObject } from '../../base/json.ts';
import { isFinalTurn, type AvailableTool, type SessionScope } from '../session/session-scope.ts';
import type { CallResult, RequestedCall } from '../transport/transport.ts';
import { runBeforeTool } from '../hooks/run-hooks.ts';
import { approveCall } from '../approval/approve-call.ts';
import {
  budgetStub,
  commitResult,
  executeCall,
  rejectCall,
  reportRefusal,
  resultTokens,
  type RenderResult,
} from './execute-call.ts';
import { recallCall } from './recorded-call.ts';
import { parseObjectLeniently } from './parse-json-leniently.ts';
import { renderProblems, schemaChecks, type ErrorObject } from './schema-checks.ts';

/** Counts calls against the limit per turn, including those inside a batch. */
export interface Allowance {
  readonly limit: number;
  readonly take: () => boolean;
}

/** Creates an allowance for one turn. */
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

/** Validates and runs one call. The error of a rejected call reserves context tokens like any result. */
export async function runCall(
  scope: SessionScope,
  call: RequestedCall,
  allowance: Allowance,
  render: RenderResult,
  onReserved: (release: () => void) => void = () => {},
): Promise<CallResult> {
  const isWithinLimit = allowance.take();
  const recalled = isWithinLimit ? recallCall(scope, call) : undefined;
  const checked = recalled ?? (isWithinLimit ? checkCall(scope, call) : exceedsLimit(call, allowance));
  const stub = 'tool' in checked ? budgetStub(call) : checked;
  const reservation = scope.contextGuard.reserve(resultTokens(scope, render(stub)));
  onReserved(reservation.release);
  if (!('tool' in checked)) {
    if (checked !== recalled) reportRefusal(scope, checked);
    return checked;
  }
  const permitted = await permitCall(scope, checked);
  if (!('tool' in permitted)) {
    reportRefusal(scope, permitted);
    return commitResult(scope, permitted, reservation, render).result;
  }
  return executeCall(scope, { ...permitted, reservation }, render);
}

function exceedsLimit(call: RequestedCall, { limit }: Allowance): CallResult {
  const reason = `the per-turn limit of ${limit} tool calls is exceeded; this call was not run`;
  return rejectCall(call, 'limit', reason);
}

/** Parses and validates a call; a rejection explains to the model how to correct it. */
function checkCall(
  scope: SessionScope,
  call: RequestedCall,
): CallResult | { call: RequestedCall; tool: AvailableTool; args: JsonObject } {
  if (isFinalTurn(scope) && !scope.state.toolBudgetExceeded) {
    return rejectCall(call, 'unavailable', 'only the final report is available now');
  }
  if (scope.state.toolBudgetExceeded) return budgetStub(call);
  const tool = scope.tools.get(call.name);
  if (tool === undefined) return rejectCall(call, 'unknown_tool', `unknown tool ${call.name}`);
  const args = parseArguments(scope, call);
  if (typeof args === 'string') return rejectCall(call, 'invalid_arguments', args);
  const problems = checkArguments(scope, tool, args);
  return problems.length > 0
    ? rejectCall(call, 'invalid_arguments', `invalid arguments: ${renderProblems(problems)}`)
    : { call, tool, args };
}

interface CheckedCall {
  readonly call: RequestedCall;
  readonly tool: AvailableTool;
  readonly args: JsonObject;
}

/** Asks the hook of the calling program, which may replace the arguments, and then the rules and the user. */
async function permitCall(scope: SessionScope, checked: CheckedCall): Promise<CallResult | CheckedCall> {
  const { call, tool } = checked;
  const hooked = await runBeforeTool(scope, call.name, checked.args);
  if ('refuse' in hooked) return rejectCall(call, 'denied', hooked.refuse);
  const { arguments: args } = hooked;
  const problems = args === checked.args ? [] : checkArguments(scope, tool, args);
  if (problems.length > 0)
    return rejectCall(call, 'invalid_arguments', `invalid arguments: ${renderProblems(problems)}`);
  const changed = args === checked.args ? call : { ...call, arguments: JSON.stringify(args) };
  return (await approveCall(scope, changed, tool, args)) ?? { call: changed, tool, args };
}

/**
 * Validates arguments. A schema that does not compile, for example because of an unresolved $ref, or takes too long, is not enforced: the
 * server checks its arguments itself.
 */
function checkArguments(scope: SessionScope, tool: AvailableTool, args: JsonObject): readonly ErrorObject[] {
  try {
    return schemaChecks.compile(tool.definition.inputSchema)(args);
  } catch (error) {
    scope.log('WRN', `Cannot check the arguments of ${tool.definition.name}: ${String(error)}`);
    return [];
  }
}

const NO_JSON = 'the arguments are not valid JSON; call the tool again with a JSON object';
const CUT_OFF =
  'not run: your response was cut off at the output limit in the middle of the arguments; call the tool again with shorter ones, or in several calls';

/** Parses arguments, repairs them if necessary, and logs repairs and failures. Returns why they are unusable as text. */
export function parseArguments(scope: SessionScope, call: RequestedCall): JsonObject | string {
  if (call.isCutOff === true) {
    scope.log('ERR', `The call of ${call.name} was cut off at the output limit; it is not run.`, {
      tool: call.name,
      payload: call.arguments,
    });
    return CUT_OFF;
  }
  const parsed = parseObjectLeniently(call.arguments === '' ? '{}' : call.arguments);
  if (parsed === undefined) {
    scope.log('ERR', `The arguments of ${call.name} are not valid JSON.`, {
      tool: call.name,
      payload: call.arguments,
    });
    return NO_JSON;
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
