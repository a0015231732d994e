import {
  INVALID_PARAMS,
  ProtocolError,
  Server,
  type JSONRPCRequest,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isPlainObject } from '../../base/json.ts';
import { tryParseJson } from '../../base/parse-json.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** A server that answers invalid parameters in a sentence. The SDK sends the list of its validator, for most methods as an internal error. */
export class ReadableServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const validated = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await validated(request, context);
      } catch (error) {
        throw describeInvalid(error, method) ?? error;
      }
    };
  }
}

function describeInvalid(error: unknown, method: string): ProtocolError | undefined {
  if (!(error instanceof Error)) return undefined;
  const problems = tryParseJson(error.message.replace(`Invalid ${method} request: `, ''));
  const [first] = (Array.isArray(problems) ? problems : []) as unknown[];
  if (!isPlainObject(first) || !Array.isArray(first.path) || typeof first.message !== 'string')
    return undefined;
  const problem = first.message.replace(/^Invalid (?:input|option): /u, '').replaceAll('"|"', '", "');
  return new ProtocolError(INVALID_PARAMS, `Invalid ${method} request: ${first.path.join('.')}: ${problem}.`);
}
