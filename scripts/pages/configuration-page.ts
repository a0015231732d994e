import { CONFIG_SCHEMA } from '../../src/agent/config/config-schema.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { DEED_SETTINGS } from '../../src/config/setting-table.ts';
import { renderJsonSchema } from '../../src/contract/json-schema.ts';
import { AGENT_CONFIG_WORDS } from './agent-config-words.ts';
import { describeType, row } from './describe-type.ts';
import { GENERATED } from './generated-note.ts';

/** The reference of everything that can be configured. */
export function configurationPage(): string {
  return `${GENERATED}
# Configuration

## Settings of deed

\`deed config get|list|set|unset\`, kept in \`config.json\` of the home folder. A setting of scope *folder* may also stand in the \`.deed.json\` of a
folder, which counts after \`deed config trust\`.

${[row('setting', 'takes', 'default', 'scope', 'what it is for'), '|---|---|---|---|---|', ...settings()].join('\n')}

## Environment

${[row('variable', 'what it is for'), '|---|---|', ...ENVIRONMENT.map(([name, words]) => row(`\`${name}\``, words))].join('\n')}

## Configuration of agents

Read by \`ai-agent\`, \`deed agent …\` and items whose agent is a \`.ai\` file. Layers, the strongest first: \`--config\`; \`.ai-agent.json\` in the current
folder; beside the prompt file; beside the program; \`~/.ai-agent/ai-agent.json\`; \`/etc/ai-agent/ai-agent.json\`. Beside each may stand a file of
variables (\`.ai-agent.env\`). Under \`deed\` what a folder brings counts after \`deed config trust . --file .ai-agent.json\`. A key that nobody knows is refused.

${sections('', renderJsonSchema(CONFIG_SCHEMA, 'input')).join('\n\n')}
`;
}

/** Variables that decide over the program; keys of providers are told with the providers. */
const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['DEED_HOME', 'The home folder (default `~/.deed`)'],
  ['DEED_AGENT, AI_AGENT', 'Who calls, for the audit log; a token is bound to it'],
  ['VYBE_AGENT', 'The agent under whose name `vybe` writes when `--agent` is not given'],
  ['NO_COLOR, TERM', 'No colour when `NO_COLOR` is set or the terminal is `dumb`'],
  [
    'ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OPENROUTER_API_KEY',
    'Keys for the providers’ own addresses',
  ],
  ['OPENAI_BASE_URL', 'For `deed demo --live`: where a gateway speaks the protocol of OpenAI'],
  ['DEED_RUN_ID', 'Set by deed in every process of a run: which run it is of'],
];

function settings(): string[] {
  return Object.entries(DEED_SETTINGS).map(([name, { schema, defaultValue, scope, description }]) =>
    row(
      `\`${name}\``,
      describeType(renderJsonSchema(schema, 'input')),
      `\`${JSON.stringify(defaultValue)}\``,
      scope,
      description,
    ),
  );
}

/** A table for each object, those inside it after it. */
function sections(path: string, schema: JsonObject): string[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const rows = properties.map(([name, value]) => row(`\`${name}\``, describeType(value), wordsFor(name)));
  const table = [
    `### ${path === '' ? 'The file' : `\`${path}\``}`,
    '',
    row('field', 'takes', 'what it is for'),
    '|---|---|---|',
    ...rows,
  ];
  return [
    table.join('\n'),
    ...properties.flatMap(([name, value]) => inside(`${path}${path === '' ? '' : '.'}${name}`, value)),
  ];
}

function inside(path: string, schema: JsonObject): string[] {
  if (schema.properties !== undefined) return sections(path, schema);
  const each = schema.additionalProperties;
  return typeof each === 'object' && each !== null ? inside(`${path}.<name>`, each as JsonObject) : [];
}

function wordsFor(name: string): string {
  const words = AGENT_CONFIG_WORDS[name];
  if (words === undefined)
    throw new Error(`scripts/pages/agent-config-words.ts says nothing about "${name}"`);
  return words;
}
