import { Fault } from '../../base/fault.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Command } from '../../contract/command.ts';
import { parametersOf } from '../../contract/command-parameters.ts';
import { GLOBAL_PARAMETERS } from '../../contract/global-parameters.ts';
import type { McpHost } from './mcp-host.ts';
import { splitCall, takeArguments, toMcpCall } from './mcp-call.ts';
import { isOffered } from './offered-commands.ts';

/**
 * Messages and hints are written for the command line. This file is the one place that translates them for MCP clients: `--dry-run`
 * becomes `dry_run: true`, `--session` becomes `session`, and `deed work show run_1` becomes the tool call. Commands for a person in a
 * terminal stay command lines.
 */
export interface TermsScope {
  readonly host: Pick<McpHost, 'table' | 'system' | 'tool' | 'offer'>;
  /** The command whose flags the text mentions. */
  readonly command?: Command | undefined;
}

/** Approvals and directives are up to a person. */
const FOR_PERSONS = /^work (?:approve|reject)\b|--kind directive/u;

/** Members of details and of data that contain advice, not stored text. */
const ADVICE = new Set(['resume', 'resume_command', 'fix', 'flag']);
const NESTED_ADVICE = new Set(['checks', 'next_steps']);

/** Translates our own text; quoted values in it stay as they are. */
export async function toMcpTerms(text: string, scope: TermsScope): Promise<string> {
  let output = '';
  let rest = text;
  for (;;) {
    const found = await findCommandLine(rest, scope);
    const before = found === undefined ? rest : rest.slice(0, found.start);
    output += translateFlags(before, scope.command);
    if (found === undefined) return output;
    output += found.replacement;
    rest = rest.slice(found.end);
  }
}

/** Translates the text of a fault; its code and data stay. */
export async function faultInMcpTerms(fault: Fault, scope: TermsScope): Promise<Fault> {
  const hint = fault.hint === undefined ? undefined : await toMcpTerms(fault.hint, scope);
  const details = await adviceInMcpTerms(withoutRepeats(fault.details), scope);
  return new Fault(fault.code, await toMcpTerms(fault.message, scope), {
    ...(hint !== undefined && { hint }),
    details,
    unchanged: fault.unchanged,
    cause: fault.cause,
  });
}

/** A single problem is in the members next to the list already. */
function withoutRepeats({ problems, ...details }: JsonObject): JsonObject {
  return Array.isArray(problems) && problems.length === 1
    ? details
    : { ...details, ...(problems !== undefined && { problems }) };
}

/** Translates the members of an answer that advise the caller, such as `resume`. Everything else is data and stays. */
export async function adviceInMcpTerms(data: JsonObject, scope: TermsScope): Promise<JsonObject> {
  const translated: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(data)) {
    if (ADVICE.has(name) && typeof value === 'string') translated[name] = await toMcpTerms(value, scope);
    else if (name === 'prompt' && typeof value === 'string') translated[name] = recordedPart(value);
    else if (NESTED_ADVICE.has(name) && Array.isArray(value))
      translated[name] = await Promise.all(
        (value as JsonObject[]).map((row) => adviceInMcpTerms(row, scope)),
      );
    else if (value !== undefined) translated[name] = value;
  }
  return translated;
}

const END_OF_RECORDED = '</recorded>';

/** The prompt of resume without its command lines, which the tool descriptions replace. Recorded text cannot contain the end tag. */
function recordedPart(prompt: string): string {
  const end = prompt.lastIndexOf(END_OF_RECORDED);
  return end < 0 ? prompt : prompt.slice(0, end + END_OF_RECORDED.length);
}

/** Translates every text of a description. */
export async function documentInMcpTerms(value: JsonValue, scope: TermsScope): Promise<JsonValue> {
  if (typeof value === 'string') return toMcpTerms(value, scope);
  if (Array.isArray(value))
    return Promise.all(value.map((item: JsonValue) => documentInMcpTerms(item, scope)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).map(
    async ([name, member]) => [name, await documentInMcpTerms(member as JsonValue, scope)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

interface FoundLine {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** Finds the first command line of an offered command: after the name of the tool, or followed by a flag. */
async function findCommandLine(text: string, { host }: TermsScope): Promise<FoundLine | undefined> {
  for (const match of text.matchAll(commandPattern(host))) {
    const [matched, prefix, named = ''] = match;
    const path = host.table.has(named) ? named : `triage ${named}`;
    const command = await host.table.load(path);
    const rest = text.slice(match.index + matched.length);
    const mark = text[match.index - 1] ?? '';
    const close = mark === '"' || mark === '`' ? rest.indexOf(mark) : -1;
    const taken =
      close < 0 ? takeArguments(rest, command) : { words: splitCall(rest.slice(0, close)), length: close };
    if (prefix === undefined && !taken.words.some((word) => word.startsWith('--'))) continue;
    if (!isOffered(command, host.offer) || FOR_PERSONS.test(`${path} ${taken.words.join(' ')}`))
      return skip(text, match.index + matched.length + taken.length);
    const call = await toMcpCall(taken.words, command, host);
    if (call === undefined) continue;
    const quoted = close < 0 ? 0 : 1;
    return {
      start: match.index - quoted,
      end: match.index + matched.length + taken.length + quoted,
      replacement: `${call.tool} ${JSON.stringify(call.arguments)}`,
    };
  }
  return undefined;
}

/** A command line that stays: everything up to its end is copied. */
function skip(text: string, end: number): FoundLine {
  return { start: 0, end, replacement: text.slice(0, end) };
}

function commandPattern({ table, tool }: TermsScope['host']): RegExp {
  const short = table.paths.filter((path) => path.startsWith('triage ')).map((path) => path.slice(7));
  const names = [...table.paths, ...short].toSorted((a, b) => b.length - a.length).join('|');
  return new RegExp(`(?<![\\w-])(${tool.name} )?(${names})(?![\\w-])`, 'gu');
}

/** Flags outside quotes become the arguments of the tool, or the parameters of the command. */
function translateFlags(text: string, command: Command | undefined): string {
  const { queries, writes, dangerous, batches } = GLOBAL_PARAMETERS;
  const own = command === undefined ? [] : parametersOf(command);
  const known = new Map(
    [...own, ...queries, ...writes, ...dangerous, ...batches].map((parameter) => [parameter.flag, parameter]),
  );
  return text.replaceAll(/"[^"]*"|--[a-z][a-z-]*(?![\w-])/gu, (found) => {
    const parameter = known.get(found);
    if (parameter === undefined) return found;
    const name = parameter.aliasOf ?? parameter.name;
    return parameter.type === 'boolean' ? `${name}: true` : name;
  });
}
