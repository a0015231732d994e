import { isPlainObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { FinalReport } from '../agent-result.ts';
import type { OutputFormat } from '../session-config.ts';
import { isShallowJson, parseContainerLeniently } from '../tools/parse-json-leniently.ts';
import { renderProblems, type SchemaCheck } from '../tools/schema-checks.ts';
import { repairContent } from './repair-content.ts';
import type { ReportCandidate } from './report-candidate.ts';
import { normaliseSlack, slackFromText } from './slack-messages.ts';

export interface ReportRules {
  readonly format: OutputFormat;
  /** The user's schema, for format `json`. */
  readonly check: SchemaCheck | undefined;
  readonly now: () => number;
}

export type ReportVerdict =
  | { readonly ok: true; readonly report: FinalReport; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly reason: string };

type Content =
  | { readonly ok: true; readonly fields: Partial<FinalReport>; readonly repairs?: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Converts a candidate to the final report, or returns why it is invalid. A report from the model always has status `success`. */
export function acceptReport(candidate: ReportCandidate, rules: ReportRules): ReportVerdict {
  if (candidate.isCutOff === true) return { ok: false, reason: 'it was cut off at the output limit' };
  const content = readContent(candidate, rules);
  if (!content.ok) return content;
  const metadata = isPlainObject(candidate.payload) ? candidate.payload['metadata'] : undefined;
  return {
    ok: true,
    repairs: content.repairs ?? [],
    report: {
      status: 'success',
      format: rules.format,
      ...content.fields,
      ...(isPlainObject(metadata) && { metadata }),
      ts: rules.now(),
    },
  };
}

function readContent(candidate: ReportCandidate, rules: ReportRules): Content {
  const { payload, source } = candidate;
  if (rules.format === 'json') return readJson(candidate, rules.check);
  if (rules.format === 'slack-block-kit') {
    if (source === 'text' && typeof payload === 'string') return readSlackFromText(payload);
    return readSlack(payload);
  }
  const text = typeof payload === 'string' ? payload : decodeText(payload);
  if (text === undefined) return { ok: false, reason: 'report_content must be a string' };
  if (text instanceof Error) return { ok: false, reason: text.message };
  // The content of a sub-agent's report is opaque, even if it is empty.
  if (rules.format === 'sub-agent') return { ok: true, fields: { content: text } };
  const content = source === 'native' ? text : text.trim();
  return content.trim() === ''
    ? { ok: false, reason: 'the report is empty' }
    : { ok: true, fields: { content } };
}

function decodeText(args: JsonObject): string | Error | undefined {
  const text = args['report_content'] ?? args['content'];
  if (typeof text !== 'string') return undefined;
  if (args['encoding'] !== 'base64') return text;
  const compact = text.replaceAll(/\s/gu, '');
  const bytes = Buffer.from(compact, 'base64');
  const isBase64 = bytes.toString('base64').replaceAll('=', '') === compact.replaceAll('=', '');
  if (!isBase64) return new Error('report_content is not base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new Error('report_content is not UTF-8 text in base64');
  }
}

function readJson({ payload, source }: ReportCandidate, check: SchemaCheck | undefined): Content {
  const given =
    typeof payload === 'string' ? payload : (payload['content_json'] ?? payload['report_content']);
  if (given === undefined) return { ok: false, reason: 'content_json is missing' };
  const repairs: string[] = [];
  let value: JsonValue = given;
  if (typeof given === 'string') {
    const parsed = parseMatching(source === 'native' ? given : given.trim(), check);
    if (parsed === undefined) return { ok: false, reason: 'content_json is not valid JSON' };
    repairs.push(...parsed.steps);
    value = parsed.value;
  }
  if (check === undefined) return { ok: true, fields: { content_json: value }, repairs };
  const repaired = repairContent(value, check);
  return repaired.problems.length > 0
    ? {
        ok: false,
        reason: `content_json does not match the schema: ${renderProblems(repaired.problems)}`,
      }
    : { ok: true, fields: { content_json: repaired.value }, repairs: [...repairs, ...repaired.steps] };
}

/** Parses a value that should match a schema. A schema may require text, which models often write without the quotes of JSON. */
function parseMatching(text: string, check: SchemaCheck | undefined): ReturnType<typeof parseValue> {
  const parsed = parseValue(text);
  if (check === undefined || (parsed !== undefined && check(parsed.value).length === 0)) return parsed;
  return text !== '' && check(text).length === 0 ? { value: text, steps: [] } : parsed;
}

/** Parses any JSON value, because a schema may require a string or a number; repairs only objects and arrays. */
function parseValue(text: string): { value: JsonValue; steps: readonly string[] } | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isShallowJson(value) ? { value, steps: [] } : undefined;
  } catch {
    return parseContainerLeniently(text);
  }
}

function readSlack(payload: ReportCandidate['payload']): Content {
  const given = typeof payload === 'string' ? payload : (payload['messages'] ?? payload['report_content']);
  const parsed = typeof given === 'string' ? parseContainerLeniently(given) : { value: given, steps: [] };
  if (parsed === undefined) return { ok: false, reason: 'messages is not valid JSON' };
  const messages = normaliseSlack(parsed.value);
  return typeof messages === 'string'
    ? { ok: false, reason: messages }
    : { ok: true, fields: { messages }, repairs: parsed.steps };
}

/** Converts the text of the final turn to Slack messages: to the blocks that it contains, or to sections if it is plain text. */
function readSlackFromText(text: string): Content {
  const blocks = readSlack(text);
  if (blocks.ok) return blocks;
  return text.trim() === ''
    ? { ok: false, reason: 'the report is empty' }
    : { ok: true, fields: { messages: slackFromText(text.trim()) } };
}
