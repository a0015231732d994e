import { ownMember } from '../../base/own-member.ts';
import * as v from 'valibot';
import { record, strictObject } from '../../base/schema.ts';
import { check } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import { isPromptPath, treePath } from '../item/work-item.ts';

const words = () => v.pipe(v.array(v.pipe(v.string(), v.minLength(1))), v.minLength(1));
const paths = () => v.array(v.pipe(v.string(), v.regex(/^[/~]/u, 'must be an absolute path')));

const SHARED = {
  /** Names of environment variables that the agent gets in addition to the allow-list, such as its API key. */
  env: v.optional(v.array(v.pipe(v.string(), v.regex(/^\w+$/u)))),
  /** Folders outside the tree that the agent may write to, such as its own state. */
  write_paths: v.optional(paths()),
  /** Hidden folders that this agent may read, such as its own credentials. */
  read_paths: v.optional(paths()),
};

/** Settings of an agent whose command line deed knows: another command line, or arguments that are added to it. */
const PROGRAM = { argv: v.optional(words()), args: v.optional(words()), ...SHARED };

const SCHEMAS = {
  command: strictObject({ kind: v.literal('command'), argv: words(), ...SHARED }),
  claude: strictObject({ kind: v.literal('claude'), ...PROGRAM }),
  codex: strictObject({ kind: v.literal('codex'), ...PROGRAM }),
  builtin: strictObject({ kind: v.literal('builtin'), options: v.optional(record(v.unknown())) }),
};

/** The configuration of one agent. */
export const AGENT_SCHEMA = v.variant('kind', [
  SCHEMAS.command,
  SCHEMAS.claude,
  SCHEMAS.codex,
  SCHEMAS.builtin,
]);

/** Configuration of an agent, by the kind of its program. */
export type AgentConfig = v.InferOutput<typeof AGENT_SCHEMA>;
export type AgentTable = Readonly<Record<string, AgentConfig>>;

/** Validates the agents of a configuration; an error names the agent. `$schema` is for editors. */
export function checkAgents(value: Readonly<Record<string, unknown>>): AgentTable {
  const agents = Object.entries(value).filter(([name]) => name !== '$schema');
  return Object.fromEntries(
    agents.map(([name, config]) => {
      const result = check(AGENT_SCHEMA, config);
      if (result.success) return [name, result.output];
      const [issue] = result.issues;
      const at = v.getDotPath(issue) ?? '';
      throw new Fault(
        'E_CONFIG',
        `Invalid configuration of agent "${name}": ${at ? `${at}: ` : ''}${issue.message}.`,
        { hint: describeMembers(config), details: { setting: 'work.agents', agent: name, field: at } },
      );
    }),
  );
}

/** Lists what would be valid: the kinds, or the members of the given kind. */
function describeMembers(config: unknown): string {
  const kind = isPlainObject(config) ? config.kind : undefined;
  const kinds = Object.keys(SCHEMAS).join(', ');
  if (typeof kind !== 'string' || !Object.hasOwn(SCHEMAS, kind))
    return `Each agent in work.agents is an object with a kind: ${kinds}.`;
  const { entries } = SCHEMAS[kind as keyof typeof SCHEMAS];
  const required = kind === 'command' ? ' kind and argv are required.' : '';
  return `An agent of the kind ${kind} has these members: ${Object.keys(entries).join(', ')}.${required} Other kinds: ${kinds}.`;
}

/** Returns the agent of an item. The path of a prompt file needs no configuration. */
export function requireAgent(agents: AgentTable, id: string): AgentConfig {
  const agent = ownMember(agents, id);
  if (agent !== undefined) return agent;
  if (isPromptPath(id)) return { kind: 'builtin', options: { file: treePath(id) } };
  const known = Object.keys(agents);
  const suggestion = nearest(id, known);
  throw new Fault('E_CONFIG', `Unknown agent: "${id}".`, {
    hint: suggestion
      ? `Did you mean ${suggestion}?`
      : `Pass the path of a prompt file that ends in .ai, or configure the agent: deed config set work.agents '{"${id}":{"kind":"command","argv":["./agent.sh"]}}'.`,
    details: { setting: 'work.agents', agent: id, known },
  });
}
