import type { JsonObject } from '../../base/json.ts';
import type { OutputFormat } from '../session-config.ts';

/** What a model is told about a format. */
export const FORMAT_RULES: Readonly<Record<OutputFormat, string>> = {
  markdown: 'GitHub-flavoured Markdown.',
  'markdown+mermaid': 'GitHub-flavoured Markdown; draw diagrams as fenced mermaid blocks.',
  'slack-block-kit':
    'A JSON array of 1 to 20 Slack messages, each {"blocks": [...]} with 1 to 50 Block Kit blocks. Section text is mrkdwn of at most 2900 characters, header text at most 150, context text at most 2000.',
  tty: 'Plain text for a terminal; ANSI colours are welcome, Markdown is not.',
  pipe: 'Plain text for another program: no Markdown, no colours, no decoration.',
  json: 'One JSON value that conforms to the schema.',
  'sub-agent': 'Whatever serves the agent that asked best; it is passed on unchanged.',
};

export const FINAL_REPORT = 'agent__final_report';

/** The arguments of `agent__final_report`: the format is pinned, and only the field that belongs to it is there. */
export function finalReportSchema(format: OutputFormat, schema: JsonObject | undefined): JsonObject {
  return {
    type: 'object',
    properties: {
      format: { type: 'string', const: format },
      ...contentProperties(format, schema),
      metadata: { type: 'object', description: 'Anything structured to go with the report.' },
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
      description: 'How report_content is written; raw when absent.',
    },
  };
}

/** Inside another schema these two would begin a document of their own. */
function withoutDialect(schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _id, ...rest } = schema;
  return rest;
}
