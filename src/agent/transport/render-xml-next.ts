import type { JsonObject } from '../../base/json.ts';
import { FINAL_REPORT, FORMAT_RULES } from '../report/report-formats.ts';
import type { OutputFormat } from '../session-config.ts';
import type { ToolDefinition } from '../tool-host.ts';
import { PROGRESS_REPORT } from '../tools/internal-host.ts';

export interface FinalSlot {
  readonly format: OutputFormat;
  readonly schema?: JsonObject;
}

export interface XmlNext {
  readonly nonce: string;
  /** Rendered only when there are slots for them. */
  readonly tools: readonly ToolDefinition[];
  readonly slotIds: readonly string[];
  readonly final: FinalSlot;
  readonly finalOnly: boolean;
  readonly serverInstructions: string | undefined;
}

/** Renders the instructions of one turn: everything about tools and the report, which the system prompt does not mention. */
export function renderXmlNext(next: XmlNext): string {
  return [
    'System Notice: instructions for this turn.',
    ...(next.slotIds.length > 0 ? renderTools(next) : []),
    ...(next.serverInstructions === undefined || next.finalOnly ? [] : [next.serverInstructions]),
    renderFinal(next),
  ].join('\n\n');
}

function renderTools({ nonce, tools, slotIds }: XmlNext): string[] {
  const callable = tools.filter(({ name }) => name !== PROGRESS_REPORT);
  if (callable.length === 0) return [];
  const sections = [
    [
      'To call a tool, write a tag with its arguments as JSON. Use each slot once, in this order; several calls in one response run in parallel:',
      ...slotIds.map((id) => `<ai-agent-${id} tool="TOOL_NAME">{…}</ai-agent-${id}>`),
    ].join('\n'),
    ['Tools:', ...callable.map(renderTool)].join('\n\n'),
  ];
  if (tools.length > callable.length) {
    sections.push(
      `To report progress to the user, in addition to other calls: <ai-agent-${nonce}-PROGRESS tool="${PROGRESS_REPORT}">one sentence</ai-agent-${nonce}-PROGRESS>`,
    );
  }
  return sections;
}

function renderTool({ name, description, inputSchema }: ToolDefinition): string {
  return `- ${name}: ${description}\n  arguments: ${JSON.stringify(inputSchema)}`;
}

function renderFinal({ nonce, final, finalOnly, tools }: XmlNext): string {
  const tag = `ai-agent-${nonce}-FINAL`;
  const before = finalOnly || tools.length === 0 ? '' : 'While tools can help, call them. ';
  return [
    `${before}${finalOnly ? 'Tools are no longer available. ' : ''}When you are done, give the final report in this tag and nothing outside of it:`,
    `<${tag} tool="${FINAL_REPORT}" format="${final.format}">`,
    `…`,
    `</${tag}>`,
    `Format of the content: ${FORMAT_RULES[final.format]}`,
    ...(final.schema === undefined ? [] : [`Schema: ${JSON.stringify(final.schema)}`]),
  ].join('\n');
}
