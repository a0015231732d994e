import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { excerpt, printable } from '../../base/text.ts';
import { readAuditNewestFirst } from '../../contract/read-audit.ts';
import { defineRead } from '../../contract/command.ts';
import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { cutPage, PAGE_PARAMETERS, pageOf, readCursor, truncatePage } from '../../contract/paging.ts';
import { pageLimit } from '../command-settings.ts';
import { auditLineSchema, showLine } from './audit-line.ts';

/** Limits how much of a long log a filter reads; a page that ends here is marked as truncated. */
const MAX_SCANNED_LINES = 100_000;

export default defineRead({
  path: 'audit list',
  summary: 'List past calls, newest first',
  params: {
    command: described(v.optional(v.string()), 'Only calls of this command, for example "config set"'),
    agent: described(v.optional(v.string()), 'Only calls by this agent'),
    failed: described(v.optional(v.boolean(), false), 'Only calls that failed'),
    ...PAGE_PARAMETERS,
  },
  output: pageOf(auditLineSchema),
  sort: 'seq descending',
  keyFields: ['seq', 'at', 'command', 'agent', 'code'],
  untrusted: ['items[].args', 'items[].agent', 'items[].request_id', 'items[].note'],
  examples: ['audit list --limit 20', 'audit list --command "config set" --fields at,agent,exit_code'],
  errors: ['E_NOT_FOUND'],
  run: async ({ command, agent, failed, ...page }, context) => {
    const filters = { command, agent, failed };
    const after = readCursor(page, filters);
    const limit = pageLimit(context, page.limit);
    const rows: v.InferOutput<typeof auditLineSchema>[] = [];
    let scanned = 0;
    let last = 0;
    for (const line of readAuditNewestFirst(context.home, after === undefined ? undefined : Number(after))) {
      scanned += 1;
      last = line.seq;
      if (scanned > MAX_SCANNED_LINES) break;
      if (command !== undefined && line.command !== command) continue;
      if (agent !== undefined && line.agent !== agent) continue;
      if (failed && (line.exit_code ?? 0) === 0) continue;
      rows.push(showLine(line));
      // One more than a page, so that the page knows whether there is more.
      if (rows.length > limit) break;
    }
    if (command !== undefined && rows.length === 0 && after === undefined && !context.table.has(command))
      throw unknownCommand(command, context.table.paths);
    const found = cutPage(rows, { ...page, limit }, filters, ({ seq }) => seq);
    return scanned > MAX_SCANNED_LINES ? truncatePage(found, filters, String(last + 1)) : found;
  },
  renderText: ({ items, next_cursor }, paint) => {
    const rows = items.map((line) => {
      const who = line.agent ?? line.account.user;
      const outcome =
        line.phase === 'begin'
          ? paint.dim('started')
          : line.code === null
            ? paint.green('ok')
            : paint.red(line.code);
      const duration = line.duration_ms === null ? '' : `, ${line.duration_ms} ms`;
      return `${line.at}  ${outcome}  ${paint.bold(line.command ?? '?')}  ${paint.dim(`by ${printable(String(who))}${duration}`)}\n`;
    });
    return `${rows.join('')}${next_cursor === null ? '' : paint.dim(`more: --cursor ${next_cursor}\n`)}`;
  },
});

/** The log may contain commands of earlier versions, so only a command without any call is checked. */
function unknownCommand(command: string, paths: readonly string[]): Fault {
  const suggestion = nearest(command, paths);
  return new Fault('E_NOT_FOUND', `Unknown command: "${excerpt(command)}". The log has no call of it.`, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : 'Run "reference" for the list of commands.',
    details: { field: 'command', ...(suggestion && { suggestion }) },
  });
}
