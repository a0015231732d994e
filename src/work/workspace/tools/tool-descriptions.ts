import type { JsonObject } from '../../../base/json.ts';

export type ToolName = 'read' | 'write' | 'edit' | 'list' | 'search' | 'run';

/** The description of a tool for a model. */
export interface ToolDescription {
  readonly name: ToolName;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const flag = (description: string): JsonObject => ({ type: 'boolean', description });
const count = (description: string): JsonObject => ({ type: 'integer', minimum: 1, description });
const shape = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
  additionalProperties: false,
});

const PATH = text('Relative to the root of the tree.');

/** The tools of a workspace. */
export const TOOL_DESCRIPTIONS: readonly ToolDescription[] = [
  {
    name: 'read',
    description: 'Reads a text file. A long file is returned in part, with the offset to continue at.',
    inputSchema: shape(
      { path: PATH, offset: count('The first line, from 1.'), limit: count('How many lines.') },
      ['path'],
    ),
  },
  {
    name: 'write',
    description: 'Writes a whole file. An existing file is replaced; missing folders are created.',
    inputSchema: shape({ path: PATH, content: text('The whole content.') }, ['path', 'content']),
  },
  {
    name: 'edit',
    description:
      'Replaces a text in a file. The text must occur exactly once, white space included; with all it is replaced everywhere.',
    inputSchema: shape(
      {
        path: PATH,
        old_text: text('What stands there now.'),
        new_text: text('What shall stand there.'),
        all: flag('Replace every occurrence.'),
      },
      ['path', 'old_text', 'new_text'],
    ),
  },
  {
    name: 'list',
    description:
      'Lists a folder: folders end in /, links in @. With recursive it gives every file below that git does not ignore.',
    inputSchema: shape({ path: PATH, recursive: flag('List all files below.') }),
  },
  {
    name: 'search',
    description: 'Searches the text files that git does not ignore; answers with path:line: text.',
    inputSchema: shape(
      {
        pattern: text('One line of text, or an extended regular expression with regex.'),
        path: text('A file or folder to search in; the whole tree if not given.'),
        regex: flag('The pattern is a regular expression.'),
        ignore_case: flag('Upper and lower case are the same.'),
      },
      ['pattern'],
    ),
  },
  {
    name: 'run',
    description:
      'Runs a shell command at the root of the tree and answers with its exit code and outputs. What it leaves running is ended.',
    inputSchema: shape(
      {
        command: text('For /bin/sh.'),
        timeout_ms: { ...count('How long it may take; two minutes if not given.'), maximum: 3_600_000 },
      },
      ['command'],
    ),
  },
];
