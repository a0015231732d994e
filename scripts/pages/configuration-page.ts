import { CONFIG_SCHEMA } from '../../src/agent/config/config-schema.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { DEED_SETTINGS } from '../../src/config/setting-table.ts';
import { renderJsonSchema } from '../../src/contract/json-schema.ts';
import { AGENT_CONFIG_DESCRIPTIONS } from './agent-config-descriptions.ts';
import { describeType, row } from './describe-type.ts';
import { GENERATED } from './generated-note.ts';

/** The reference of all settings. */
export function configurationPage(): string {
  return `${GENERATED}
# Configuration

## Settings of deed

\`deed config get|list|set|unset\`, stored in \`config.json\` of the home folder. A setting with the scope *folder* may also be in the \`.deed.json\` of a
folder, which applies after \`deed config trust\`.

${[row('setting', 'type', 'default', 'scope', 'description'), '|---|---|---|---|---|', ...settings()].join('\n')}

## Environment

${[row('variable', 'description'), '|---|---|', ...ENVIRONMENT.map(([name, description]) => row(`\`${name}\``, description))].join('\n')}

## Configuration of agents

Read by \`ai-agent\`, \`deed agent …\` and work items whose agent is a \`.ai\` file. Layers, highest priority first: \`--config\`; \`.ai-agent.json\` in the
current folder; next to the prompt file; next to the program; \`~/.ai-agent/ai-agent.json\`; \`/etc/ai-agent/ai-agent.json\`. Each may have a file of variables
next to it (\`.ai-agent.env\`). Under \`deed\` the configuration of a folder applies after \`deed config trust . --file .ai-agent.json\`. Unknown keys are rejected.

${sections('', renderJsonSchema(CONFIG_SCHEMA, 'input')).join('\n\n')}
`;
}

/** The environment variables that the program reads. */
const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['DEED_HOME', 'The home folder (default `~/.deed`)'],
  ['DEED_AGENT, AI_AGENT', 'The name of the caller, for the audit log; a token is bound to it'],
  ['VYBE_AGENT', 'The agent name of `vybe` when `--agent` is not set'],
  ['NO_COLOR, TERM', 'No colour when `NO_COLOR` is set or the terminal is `dumb`'],
  [
    'ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OPENROUTER_API_KEY',
    'API keys for the default base URLs of the providers',
  ],
  ['OPENAI_BASE_URL', 'For `deed demo --live`: the base URL of a gateway with the API of OpenAI'],
  ['DEED_RUN_ID', 'Set by deed in every process of a run: the id of the run'],
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

/** One table per object, followed by its nested objects. */
function sections(path: string, schema: JsonObject): string[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const rows = properties.map(([name, value]) =>
    row(`\`${name}\``, describeType(value), descriptionOf(name)),
  );
  const table = [
    `### ${path === '' ? 'The file' : `\`${path}\``}`,
    '',
    row('field', 'type', 'description'),
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

function descriptionOf(name: string): string {
  const description = AGENT_CONFIG_DESCRIPTIONS[name];
  if (description === undefined)
    throw new Error(`scripts/pages/agent-config-descriptions.ts has no description of "${name}"`);
  return description;
}
