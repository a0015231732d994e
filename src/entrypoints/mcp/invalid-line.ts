import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isPlainObject } from '../../base/json.ts';

/** The answer to a line that is not a message; undefined for messages and empty lines. The SDK drops such lines without an answer. */
export function answerInvalidLine(line: string): object | undefined {
  if (line.trim() === '') return undefined;
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return failure(PARSE_ERROR, 'The line is not JSON. Send one JSON-RPC message per line.');
  }
  if (Array.isArray(message))
    return failure(INVALID_REQUEST, 'Batches are not supported. Send one JSON-RPC message per line.');
  if (isMessage(message) || isResponse(message)) return undefined;
  return failure(INVALID_REQUEST, NOT_A_MESSAGE, message);
}

const NOT_A_MESSAGE =
  'This is not a JSON-RPC 2.0 message: jsonrpc must be "2.0", id a string or an integer, method a string, and params an object.';

function isMessage(value: unknown): boolean {
  try {
    parseJSONRPCMessage(value);
    return true;
  } catch {
    return false;
  }
}

/** Not answered even if it is invalid: its id is the id of a request of this server. */
function isResponse(value: unknown): boolean {
  return isPlainObject(value) && !('method' in value) && ('result' in value || 'error' in value);
}

function failure(code: number, text: string, message?: unknown): object {
  const id = isPlainObject(message) ? message.id : undefined;
  const isId = typeof id === 'string' || typeof id === 'number';
  return { jsonrpc: '2.0', id: isId ? id : null, error: { code, message: text } };
}
