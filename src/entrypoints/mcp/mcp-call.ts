import type { JsonObject } from '../../base/json.ts';
import { effectOf, type Command } from '../../contract/command.ts';
import { globalParametersFor } from '../../contract/global-parameters.ts';
import { parametersOf } from '../../contract/command-parameters.ts';
import type { Invocation } from '../../contract/invocation.ts';
import { parseArgv } from '../../dialects/deed/parse-argv.ts';
import type { McpHost } from './mcp-host.ts';

/** A tool call that does the same as a command line. */
export interface McpCall {
  readonly tool: 'describe' | 'call-read' | 'call-write';
  readonly arguments: JsonObject;
}

/** Converts the words of a command line; undefined when there is no such call, as for parameters from a file. */
export async function toMcpCall(
  words: readonly string[],
  command: Command,
  host: Pick<McpHost, 'table' | 'system'>,
): Promise<McpCall | undefined> {
  if (words.includes('--help')) return { tool: 'describe', arguments: { command: command.path } };
  if (words.some((word) => word.startsWith('--input'))) return undefined;
  const argv = [...command.path.split(' '), ...words];
  const invocation = await parseArgv(argv, host).catch(() => undefined);
  if (invocation === undefined) return undefined;
  return { tool: `call-${effectOf(command)}`, arguments: argumentsOf(invocation) };
}

function argumentsOf(invocation: Invocation): JsonObject {
  const { command, params, fields, dryRun, confirm, dangerous, requestId } = invocation;
  return {
    command: command.path,
    ...(Object.keys(params).length > 0 && { parameters: params as JsonObject }),
    ...(fields !== undefined && { fields }),
    ...(dryRun && { dry_run: true }),
    ...(confirm !== undefined && { confirm }),
    ...(dangerous && { dangerous: true }),
    ...(requestId !== undefined && { request_id: requestId }),
  };
}

/** Splits the command line of an example or hint into words; quotes group, and there are no escapes. */
export function splitCall(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/gu)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}

/** An id of a run, job, session or task, or a process id: the only positional arguments that hints contain. */
const ID = /^(?:[a-z]+[_-][\w-]+|\d+)$/u;

/** Reads the arguments of a command at the start of a text, up to the first other word. */
export function takeArguments(text: string, command: Command): { words: string[]; length: number } {
  const known = new Map(
    [...parametersOf(command), ...globalParametersFor(command)].map((parameter) => [
      parameter.flag,
      parameter,
    ]),
  );
  const token = / (?:'([^']*)'|"([^"]*)"|([^\s;,()'"]*[^\s;,()'".:]))/uy;
  const next = (): string | undefined => {
    const found = token.exec(text);
    return found === null ? undefined : (found[1] ?? found[2] ?? found[3]);
  };
  const words: string[] = [];
  let length = 0;
  for (let word = next(); word !== undefined; word = next()) {
    const parameter = known.get(word);
    if (parameter === undefined && (!ID.test(word) || command.positionals === undefined)) break;
    words.push(word);
    if (parameter !== undefined && parameter.type !== 'boolean') {
      const value = next();
      if (value === undefined) return { words: words.slice(0, -1), length };
      words.push(value);
    }
    length = token.lastIndex;
  }
  return { words, length };
}
