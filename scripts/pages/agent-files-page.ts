import type { JsonObject } from '../../src/base/json.ts';
import { configFileSchema, promptFileSchema } from './agent-schemas.ts';
import { describeType, row } from './describe-type.ts';
import { GENERATED } from './generated-note.ts';
import { PROMPT_VARIABLES } from './prompt-file-descriptions.ts';

/** The reference of prompt files and of agent configuration. */
export function agentFilesPage(): string {
  return `${GENERATED}
# Files of agents

Read by \`ai-agent\`, \`deed agent …\` and work items whose agent is a \`.ai\` file. An unknown key is an error, which names the nearest key and lists all of them.
Examples that run: [the cookbook](../agent-cookbook.md).

Editors complete and check both files with the JSON Schemas in the npm package: set \`"$schema": "https://unpkg.com/deed-cli/schemas/ai-agent.schema.json"\` in
\`ai-agent.json\`, and \`$schema: https://unpkg.com/deed-cli/schemas/prompt-file.schema.json\` in the frontmatter, or use the path of the file in
\`node_modules/deed-cli/schemas\`.

## Prompt files: \`<name>.ai\`

An optional first line \`#!/usr/bin/env ai-agent\`, then YAML between two lines \`---\`, then the system prompt. Frontmatter that is not closed, or that has white
space before it, is an error. So are bytes that are not UTF-8. A file under another name is read in the same way if it starts with \`#!\` and the name of this program, or, passed as \`@file\`, with
\`---\` and a setting.

\`\`\`
#!/usr/bin/env ai-agent
---
$schema: https://unpkg.com/deed-cli/schemas/prompt-file.schema.json
description: Answers questions about a repository
models: [anthropic/claude-sonnet-4-5, openai/gpt-5]
tools: files
maxTurns: 8
---
You answer questions about a code base. Today is \${DAY}.
\${include:rules.md}
\`\`\`

Priority of a setting: the command line, the prompt file, \`defaults\` of the configuration, the default. Request parameters of a provider or model override those
of \`defaults\` and of the prompt file; \`null\` unsets an inherited one.

${sections('', promptFileSchema(), 'Frontmatter').join('\n\n')}

### In the prompt

\`\${include:file}\` inserts another file, relative to the one that includes it, without its frontmatter. \`\${NAME}\` or \`{{NAME}}\` inserts a variable; other names stay as they
are.

${[row('variable', 'value'), '|---|---|', ...Object.entries(PROMPT_VARIABLES).map(([name, text]) => row(`\`${name}\``, text))].join('\n')}

## Configuration: \`ai-agent.json\`

Layers, highest priority first; objects are merged key by key:

1. the file of \`--config\`
2. \`.ai-agent.json\` in the current folder
3. \`.ai-agent.json\` in the folder of the prompt file
4. \`.ai-agent.json\` in the folder of the program
5. \`~/.ai-agent/ai-agent.json\`
6. \`/etc/ai-agent/ai-agent.json\`

\`\${VARIABLE}\` in a text is replaced by a variable of the file next to the layer (\`.ai-agent.env\`, or \`ai-agent.env\` for the last two), then of the environment. A
variable that is not set is an error when the value is used. \`\${parameters.name}\` in a REST tool is replaced when the tool is called.

A key or header is never sent to an address that a less trusted layer sets: \`deed\` refuses it with \`E_FORBIDDEN\`; \`ai-agent\` prints a warning, or refuses it too
with \`"trust": "strict"\` in the home configuration. Under \`deed\` the configuration of a folder applies after \`deed config trust . --file .ai-agent.json\`, which
includes the \`.ai-agent.env\` next to it.

${sections('', configFileSchema(), 'The file').join('\n\n')}
`;
}

/** One table per object, followed by its nested objects. */
function sections(path: string, schema: JsonObject, title: string): string[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const withDefaults = properties.some(([, value]) => value.default !== undefined);
  const rows = properties.map(([name, value]) =>
    row(
      `\`${name}\``,
      describeType(value),
      ...(withDefaults ? [value.default === undefined ? '' : code(value.default)] : []),
      value.description as string,
    ),
  );
  const columns = withDefaults
    ? ['field', 'type', 'default', 'description']
    : ['field', 'type', 'description'];
  const table = [`### ${title}`, '', row(...columns), `|${'---|'.repeat(columns.length)}`, ...rows];
  return [
    table.join('\n'),
    ...properties.flatMap(([name, value]) => inside(path === '' ? name : `${path}.${name}`, value)),
  ];
}

function inside(path: string, schema: JsonObject): string[] {
  if (schema.properties !== undefined) return sections(path, schema, `\`${path}\``);
  const each = schema.additionalProperties;
  return typeof each === 'object' && each !== null ? inside(`${path}.<name>`, each as JsonObject) : [];
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
