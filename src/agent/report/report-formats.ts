import { omit } from '../../base/omit.ts';
import type { JsonObject } from '../../base/json.ts';
import type { OutputFormat } from '../session-config.ts';

/** Format instructions for the model. */
export const FORMAT_RULES: Readonly<Record<OutputFormat, string>> = {
  markdown: 'GitHub-flavoured Markdown.',
  'markdown+mermaid': 'GitHub-flavoured Markdown; draw diagrams as fenced mermaid blocks.',
  'slack-block-kit':
    'A JSON array of 1 to 20 Slack messages, each {"blocks": [...]} with 1 to 50 Block Kit blocks. Section text is mrkdwn of at most 2900 characters, header text at most 150, context text at most 2000.',
  tty: 'Plain text for a terminal; ANSI colours are welcome, Markdown is not.',
  pipe: 'Plain text for another program: no Markdown, no colours, no decoration.',
  json: 'One JSON value that matches the schema.',
  'sub-agent': 'Any text that is useful to the calling agent; it is passed on unchanged.',
};

export const FINAL_REPORT = 'agent__final_report';

/** Returns the argument schema of `agent__final_report`: a constant format and the one content field of that format. */
export function finalReportSchema(format: OutputFormat, schema: JsonObject | undefined): JsonObject {
  return {
    type: 'object',
    properties: {
      format: { type: 'string', const: format },
      ...contentProperties(format, schema),
      metadata: { type: 'object', description: 'Optional structured data to store with the report.' },
    },
    required: [
      'format',
      format === 'json' ? 'content_json' : format === 'slack-block-kit' ? 'messages' : 'report_content',
    ],
  };
}

function contentProperties(format: OutputFormat, schema: JsonObject | undefined): JsonObject {
  if (format === 'json') return { content_json: withoutDialect(schema ?? { type: 'object' }) };
  if (format === 'slack-block-kit') {
    const blocks = { type: 'array', minItems: 1, maxItems: 50, items: { type: 'object' } };
    const message = { type: 'object', properties: { blocks }, required: ['blocks'] };
    return { messages: { type: 'array', minItems: 1, maxItems: 20, items: message } };
  }
  return {
    report_content: { type: 'string', description: FORMAT_RULES[format] },
    encoding: {
      type: 'string',
      enum: ['raw', 'base64'],
      description: 'The encoding of report_content; raw when absent.',
    },
  };
}

/** Removes `$schema` and `$id`, which would start a separate schema document inside another schema. */
function withoutDialect(schema: JsonObject): JsonObject {
  return omit(schema, '$schema', '$id');
}
