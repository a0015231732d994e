/** Descriptions of the fields of the frontmatter that have another meaning in a prompt file, by path. */
export const PROMPT_FILE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  description: 'What the agent does. Another agent that calls it reads this as the description of the tool',
  usage: 'How to call it; the description of the tool when `description` is absent',
  toolName: 'The name under which other agents call it, as `agent__<name>`; default: the name of the file',
  input:
    'What the agent expects when another agent calls it; a task of the command line or of standard input is not checked',
  'input.format': '`text`: a prompt. `json`: an object that matches `schema`',
  'input.schema': 'The JSON Schema of the input; without one it is `{prompt}`',
  output: 'The report',
  'output.format': 'The format of the report',
  'output.schema': 'The JSON Schema of a report in format `json`; a schema alone implies that format',
  models:
    '`provider/model`, tried in this order: a list, or a comma-separated string. A sub-agent without models uses those of its caller',
  tools: 'Tool servers, REST tools, or single tools as `server__tool`: a list, or a comma-separated string',
  skills:
    'Folders of skills (`SKILL.md`), relative to this file: a list, or a comma-separated string. See [skills](../agent-runtime.md#skills-and-agentsmd)',
  agentsMd: 'Adds the `AGENTS.md` files of the tree to the system prompt',
  agents: 'Prompt files of sub-agents, relative to this file: a list, or a comma-separated string',
};

/** The variables that a prompt can contain, as `${NAME}` or `{{NAME}}`. */
export const PROMPT_VARIABLES: Readonly<Record<string, string>> = {
  DATETIME: 'The time in UTC, as `2030-01-31T09:00:00.000Z`',
  DAY: 'The day of the week',
  TIMEZONE: 'The time zone of the machine',
  FORMAT: 'The format of the report',
  MAX_TURNS: 'The limit `maxTurns`',
  MAX_TOOLS: 'The limit `maxToolCallsPerTurn`',
  USER: 'The name of the account',
  HOSTNAME: 'The name of the machine',
  OS: 'The operating system',
  ARCH: 'The processor architecture',
};
