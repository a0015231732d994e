import { TOOL_ENTRY } from '../../app/agent-executor/tool-entry.ts';
import { CONFINE_ENTRY } from '../../app/work/confine-entry.ts';
import { WATCH_ENTRY } from '../../app/loop-watch/watch-entry.ts';
import { COPY_ENTRY } from '../../app/store-copy/store-copy-entry.ts';
import { deedTool } from '../../app/deed-tool.ts';
import { updateNotices } from '../../app/update-notices.ts';
import type { ServeMcp } from '../../commands/mcp/serve.ts';
import type { ServeWeb } from '../../commands/web/web.ts';
import { DEED_COMMANDS } from '../../commands/table.ts';
import type { Command } from '../../contract/command.ts';
import { createTable } from '../../contract/command-table.ts';
import { deedDialect } from '../../dialects/deed/dialect.ts';
import type { EarlySignals } from './early-signals.ts';
import { main } from './main.ts';

/**
 * Runs `deed` in this process. If the first argument names an internal process, which only deed itself starts, runs that instead: the
 * workspace tools, the confinement of a command, the watch of a loop, or the copy of a store.
 */
export async function runDeed(signals: EarlySignals): Promise<void> {
  const [entry, ...rest] = process.argv.slice(2);
  if (entry === TOOL_ENTRY) {
    // The internal processes exit on a signal, without an answer.
    signals.release();
    return (await import('../workspace-tools/main.ts')).runWorkspaceTools(rest);
  }
  if (entry === CONFINE_ENTRY) {
    signals.release();
    return (await import('../confine/main.ts')).runConfined(rest);
  }
  if (entry === WATCH_ENTRY) {
    signals.release();
    return (await import('../loop-watch/main.ts')).runLoopWatch(rest);
  }
  if (entry === COPY_ENTRY) {
    signals.release();
    return (await import('../store-copy/main.ts')).runStoreCopy();
  }
  return main({
    signals,
    tool: deedTool,
    table: createTable({ ...DEED_COMMANDS, 'mcp serve': loadMcpServe, web: loadWeb }),
    dialect: deedDialect,
    notices: (system) => updateNotices(deedTool, system),
  });
}

/** Commands cannot import the servers, so they are passed to `mcp serve` and `web` here. */
async function loadMcpServe(): Promise<{ readonly default: Command }> {
  const { defineMcpServe } = await import('../../commands/mcp/serve.ts');
  const serve: ServeMcp = async (request, context) => {
    const { serveMcp } = await import('../mcp/serve-mcp.ts');
    const { DEED_OFFER } = await import('../mcp/deed-offer.ts');
    return serveMcp(request, context, DEED_OFFER);
  };
  return { default: defineMcpServe(serve) };
}

async function loadWeb(): Promise<{ readonly default: Command }> {
  const { defineWeb } = await import('../../commands/web/web.ts');
  const serve: ServeWeb = async (request, context) =>
    (await import('../web/serve-web.ts')).serveWeb(request, context);
  return { default: defineWeb(serve) };
}
