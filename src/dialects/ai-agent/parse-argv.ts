import { Fault } from '../../base/fault.ts';
import type { Command } from '../../contract/command.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import { parseFlags } from '../../contract/flags.ts';
import type { Invocation } from '../../contract/invocation.ts';
import { flagName, parametersOf, type Parameter } from '../../contract/command-parameters.ts';

/** What is asked of the program besides running an agent. */
const OWN_FLAGS: readonly Parameter[] = [
  own('list_tools', 'List the tools of the configured servers, or of those that --tools names'),
  own('dry_run', 'Check prompts and configuration, and start nothing'),
  own('no_stream', 'Ask providers for whole answers'),
];

/** The flags of the executable, in the order in which help shows them. */
export async function aiAgentFlags(host: DialectHost): Promise<readonly Parameter[]> {
  const command = await host.table.load('agent run');
  // Both prompts are given by position.
  const flags = parametersOf(command).filter(({ position }) => position === undefined);
  return [...flags.map(rename), ...OWN_FLAGS];
}

/** Under deed `--format` is the form of every answer; here it is the report's, as the contract has it. */
function rename(parameter: Parameter): Parameter {
  return parameter.name === 'report_format' ? { ...parameter, flag: '--format' } : parameter;
}

/** Reads `[flags] <system> <user>` into a call. */
export async function parseArgv(argv: readonly string[], host: DialectHost): Promise<Invocation> {
  const texts: string[] = [];
  const flags = await aiAgentFlags(host);
  const parsed = parseFlags(
    argv.map((word) => (isProse(word) ? hide(word, texts) : word)),
    flags,
  );
  const values = Object.fromEntries(
    Object.entries(parsed.values).map(([name, value]) => [
      name,
      typeof value === 'string' ? show(value, texts) : value,
    ]),
  );
  const { list_tools, dry_run, no_stream, ...settings } = values;
  const [system, user, extra] = parsed.positionals.map((word) => show(word, texts));
  if (extra !== undefined) throw tooManyPrompts(parsed.positionals.length);
  if (list_tools === true) {
    const { tools, config } = settings;
    return invocation(await host.table.load('agent tools'), { tools, config });
  }
  const given = {
    ...settings,
    ...(no_stream === true && { stream: false }),
    ...(system !== undefined && { system }),
    ...(user !== undefined && { user }),
  };
  if (dry_run !== true) return invocation(await host.table.load('agent run'), given);
  const validate = await host.table.load('agent validate');
  const accepted = Object.entries(given).filter(([name]) => Object.hasOwn(validate.params, name));
  return invocation(validate, Object.fromEntries(accepted));
}

/** A call of a command with parameters, without what other dialects know. */
export function invocation(command: Command, params: Readonly<Record<string, unknown>>): Invocation {
  return {
    command,
    params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)),
    fields: undefined,
    dryRun: false,
    confirm: undefined,
    dangerous: false,
    continueOnError: undefined,
    requestId: undefined,
  };
}

/** A prompt may begin with a dash, as a list does; what has white space in it is never a flag. */
function isProse(word: string): boolean {
  return /^-[^=]*\s/u.test(word);
}

const HIDDEN = '\uE000';

function hide(word: string, texts: string[]): string {
  return `${HIDDEN}${texts.push(word) - 1}`;
}

function show(word: string, texts: readonly string[]): string {
  return word.startsWith(HIDDEN) ? (texts[Number(word.slice(1))] ?? word) : word;
}

function own(name: string, description: string): Parameter {
  return { name, flag: flagName(name), type: 'boolean', required: false, multiple: false, description };
}

function tooManyPrompts(count: number): Fault {
  return new Fault('E_USAGE', `There are ${count} prompts; two are expected, the system's and the user's.`, {
    hint: 'Put each prompt in quotes: ai-agent "<system>" "<user>".',
    details: { field: 'user', given: count },
  });
}
