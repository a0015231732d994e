import { errorMessage } from '../../base/error-message.ts';
import type { JsonObject } from '../../base/json.ts';
import type { FinalReport } from '../agent-result.ts';
import { renderReport } from '../report/render-report.ts';
import { renderProblems, schemaChecks } from '../tools/schema-checks.ts';
import { strictPattern } from '../tools/strict-pattern.ts';
import type { ReportGuard } from './report-guard.ts';

/** Returns why a report is rejected, with every condition that it breaks, or undefined if it meets all of them. */
export function findBrokenGuard(guards: readonly ReportGuard[], report: FinalReport): string | undefined {
  const broken = guards.flatMap((guard) => {
    const problem = checkGuard(guard, report);
    if (problem === undefined) return [];
    return guard.message === undefined ? problem : `${guard.message} (${problem})`;
  });
  return broken.length === 0 ? undefined : broken.join('; ');
}

/** Returns whether a text may be shown in a failure report: whether no guard forbids it. */
export function mayShow(guards: readonly ReportGuard[], text: string): boolean {
  return guards.every(({ notMatch }) => notMatch === undefined || strictPattern(notMatch)(text) === false);
}

/** Throws an Error for a guard with an unsupported pattern or an invalid schema. */
export function checkGuardDefinition({ match, notMatch, schema, notSchema }: ReportGuard): void {
  for (const pattern of [match, notMatch]) if (pattern !== undefined) strictPattern(pattern);
  for (const each of [schema, notSchema]) if (each !== undefined) schemaChecks.compile(each as JsonObject);
}

function checkGuard(
  { match, notMatch, schema, notSchema }: ReportGuard,
  report: FinalReport,
): string | undefined {
  const text = renderReport(report);
  // A text that is too long to be checked passes neither of the two.
  if (match !== undefined && strictPattern(match)(text) !== true) return `it must match ${match}`;
  if (notMatch !== undefined && strictPattern(notMatch)(text) !== false)
    return `it must not match ${notMatch}`;
  if (schema !== undefined) {
    const problems = schemaProblems(schema as JsonObject, report);
    if (problems !== undefined) return `it must match the schema: ${problems}`;
  }
  if (notSchema !== undefined && schemaProblems(notSchema as JsonObject, report) === undefined)
    return 'it must not match the schema of a guard';
  return undefined;
}

/** Returns what is wrong with the content; text that is not JSON is compared as a string. */
function schemaProblems(schema: JsonObject, report: FinalReport): string | undefined {
  try {
    const problems = schemaChecks.compile(schema)(contentOf(report));
    return problems.length === 0 ? undefined : renderProblems(problems);
  } catch (error) {
    return errorMessage(error);
  }
}

function contentOf({ content, content_json: json, messages }: FinalReport): unknown {
  if (content === undefined) return json ?? messages;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
