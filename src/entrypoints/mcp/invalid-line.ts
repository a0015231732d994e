import { INVALID_REQUEST, PARSE_ERROR } from '@modelcontextprotocol/server';
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
  if (isPlainObject(message) && message.jsonrpc === '2.0') return undefined;
  return failure(INVALID_REQUEST, 'This is not a JSON-RPC 2.0 message.', message);
}

function failure(code: number, text: string, message?: unknown): object {
  const id = isPlainObject(message) ? message.id : undefined;
  const isId = typeof id === 'string' || typeof id === 'number';
  return { jsonrpc: '2.0', id: isId ? id : null, error: { code, message: text } };
}
