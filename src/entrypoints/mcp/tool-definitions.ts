const parameters = { type: 'object' };
const fields = {
  type: 'array',
  items: { type: 'string' },
  description: 'Dotted paths to return; ["*"] for all (default: key fields)',
};

/** What the descriptions of the tools say about one program. */
export interface ToolTexts {
  /** The name of the program, and what its commands are about. */
  readonly subject: string;
  /** The path of a command. */
  readonly example: string;
  /** The most common calls, one per line: the command, then its parameters, where "?" marks an optional one. */
  readonly reads: string;
  readonly writes: string;
}

/** Four tools give access to every command, so that a model does not have to read a hundred schemas. */
export function defineTools({ subject, example, reads, writes }: ToolTexts) {
  const command = { type: 'string', description: `Path, such as "${example}"` };
  return [findTool(subject), describeTool(command), readTool(command, reads), writeTool(writes)];
}

export type McpTools = ReturnType<typeof defineTools>;

function findTool(subject: string) {
  return {
    name: 'find',
    title: 'Find commands',
    description: `Finds commands of ${subject}. Those with offered: false are for a person in a terminal.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'A few words; empty lists all' },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

function describeTool(command: object) {
  return {
    name: 'describe',
    title: 'Describe a command',
    description:
      'Returns parameters, fields, errors and examples of a command. The calls listed below do not need it.',
    inputSchema: {
      type: 'object',
      properties: { command },
      required: ['command'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

function readTool(command: object, reads: string) {
  return {
    name: 'call-read',
    title: 'Call a read',
    description: `Calls a command that changes nothing. Common calls, as command {parameters}:
${reads}`,
    inputSchema: {
      type: 'object',
      properties: {
        command,
        parameters,
        fields,
      },
      required: ['command'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

function writeTool(writes: string) {
  return {
    name: 'call-write',
    title: 'Call a write',
    description: `Calls a command that changes something. ${writes}`,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        parameters,
        fields: { type: 'array', items: { type: 'string' } },
        dry_run: { type: 'boolean', description: 'Only preview' },
        confirm: { type: 'string', description: 'The confirm_token' },
        dangerous: { type: 'boolean', description: 'With confirm, for dangerous commands' },
        continue_on_error: { type: 'boolean', description: 'In a batch' },
        request_id: { type: 'string', description: 'Your id for this write, such as k3f9x2-1' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
  };
}
