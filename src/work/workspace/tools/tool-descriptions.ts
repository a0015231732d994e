import type { JsonObject } from '../../../base/json.ts';

export type ToolName = 'read' | 'write' | 'edit' | 'list' | 'search' | 'run';

/** Tools that may change the tree. */
export const CHANGING_TOOLS: ReadonlySet<string> = new Set<ToolName>(['write', 'edit', 'run']);

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
      'Replaces text in a file. The text must occur exactly once, including white space; with all, every occurrence is replaced.',
    inputSchema: shape(
      {
        path: PATH,
        old_text: text('The text to replace.'),
        new_text: text('The replacement.'),
        all: flag('Replace every occurrence.'),
      },
      ['path', 'old_text', 'new_text'],
    ),
  },
  {
    name: 'list',
    description:
      'Lists a folder: folders end in /, links in @. With recursive, lists every file below it that git does not ignore.',
    inputSchema: shape({ path: PATH, recursive: flag('List all files, including those in subfolders.') }),
  },
  {
    name: 'search',
    description:
      'Searches the text files that git does not ignore; returns lines of the form path:line: text.',
    inputSchema: shape(
      {
        pattern: text('One line of text, or an extended regular expression with regex.'),
        path: text('A file or folder to search in; default: the whole tree.'),
        regex: flag('The pattern is a regular expression.'),
        ignore_case: flag('Ignore upper and lower case.'),
      },
      ['pattern'],
    ),
  },
  {
    name: 'run',
    description:
      'Runs a shell command at the root of the tree and returns its exit code and output. Processes that it leaves running are killed.',
    inputSchema: shape(
      {
        command: text('The command, for /bin/sh.'),
        timeout_ms: { ...count('The timeout; default: two minutes.'), maximum: 3_600_000 },
      },
      ['command'],
    ),
  },
];
