import { Fault } from '../../base/fault.ts';
import type { Command } from '../../contract/command.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import { parseFlags } from '../../contract/flags.ts';
import type { Invocation } from '../../contract/invocation.ts';
import { flagName, parametersOf, type Parameter } from '../../contract/command-parameters.ts';

/** Flags for actions other than running an agent. */
const OWN_FLAGS: readonly Parameter[] = [
  own('list_tools', 'List the tools of the configured servers, or of those in --tools'),
  own('dry_run', 'Check prompts and configuration without starting anything'),
  own('no_stream', 'Disable streaming from providers'),
];

/** Returns the flags of the executable in the order of the help text. */
export async function aiAgentFlags(host: DialectHost): Promise<readonly Parameter[]> {
  const command = await host.table.load('agent run');
  // Both prompts are positional.
  const flags = parametersOf(command).filter(({ position }) => position === undefined);
  return [...flags.map(rename), ...OWN_FLAGS];
}

/** Renames `--report-format` to `--format`, as the contract requires; under deed `--format` is the output format of every command. */
function rename(parameter: Parameter): Parameter {
  return parameter.name === 'report_format' ? { ...parameter, flag: '--format' } : parameter;
}

/** Parses `[flags] <system> <user>` into a command invocation. */
export async function parseArgv(argv: readonly string[], host: DialectHost): Promise<Invocation> {
  const texts: string[] = [];
  const flags = await aiAgentFlags(host);
  const parsed = parseFlags(
    argv.map((word) => (isProse(word) ? maskWord(word, texts) : word)),
    flags,
  );
  const values = Object.fromEntries(
    Object.entries(parsed.values).map(([name, value]) => [
      name,
      typeof value === 'string' ? unmaskWord(value, texts) : value,
    ]),
  );
  const { list_tools, dry_run, no_stream, ...settings } = values;
  const [system, user, extra] = parsed.positionals.map((word) => unmaskWord(word, texts));
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

/** Returns an invocation with parameters and without the options of other dialects. */
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

/** Returns whether an argument is a prompt that starts with a dash, like a list; flags never contain white space. */
function isProse(word: string): boolean {
  return /^-[^=]*\s/u.test(word);
}

const MASK = '\uE000';

function maskWord(word: string, texts: string[]): string {
  return `${MASK}${texts.push(word) - 1}`;
}

function unmaskWord(word: string, texts: readonly string[]): string {
  return word.startsWith(MASK) ? (texts[Number(word.slice(1))] ?? word) : word;
}

function own(name: string, description: string): Parameter {
  return { name, flag: flagName(name), type: 'boolean', required: false, multiple: false, description };
}

function tooManyPrompts(count: number): Fault {
  return new Fault('E_USAGE', `Expected 2 prompts, <system> and <user>, but got ${count}.`, {
    hint: 'Put each prompt in quotes: ai-agent "<system>" "<user>".',
    details: { field: 'user', given: count },
  });
}
