import { DEED_SETTINGS } from '../../src/config/setting-table.ts';
import { renderJsonSchema } from '../../src/contract/json-schema.ts';
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

[Files of agents](agent-files.md): prompt files and \`ai-agent.json\`.
`;
}

/** The environment variables that the program reads. */
const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['DEED_HOME', 'The home folder (default `~/.deed`)'],
  ['DEED_AGENT, AI_AGENT', 'The name of the caller, for the audit log; a token is bound to it'],
  [
    'DEED_SESSION',
    'The session of the calling agent; claims of another session with the same agent name exclude it',
  ],
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
      describeType(renderJsonSchema(schema(), 'input')),
      `\`${JSON.stringify(defaultValue)}\``,
      scope,
      description,
    ),
  );
}
