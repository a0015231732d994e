import { listLedgerFiles } from '../../app/agent/ledger-files.ts';
import { readAccounting } from '../../agent/accounting/read-accounting.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { CommandContext } from '../../contract/command.ts';
import { listIds } from '../../work/run/run-folder.ts';
import { readRunUsage } from '../work/describe-item.ts';

interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** One request, or one run of an agent that reports only its totals. */
interface Use {
  readonly model: string;
  readonly tokens: Tokens;
  readonly costUsd: number | undefined;
}

/** Runs are listed by their start, so runs that started this long before the time are read too: they may have ended after it. */
const LONGEST_RUN_MS = 24 * 3_600_000;

/** Sums up the requests in the ledger, and the runs whose sessions it does not contain. */
export function sumSpending(sinceMs: number, context: CommandContext) {
  const sessions = new Set<unknown>();
  const requests: Use[] = [];
  let damaged = 0;
  const entries = readAccounting(listLedgerFiles(context.home), sinceMs, () => (damaged += 1));
  for (const { provider, model, tokens, costUsd, txnId, originTxnId } of entries) {
    sessions.add(txnId).add(originTxnId);
    const { inputTokens: input, outputTokens: output, cachedTokens: cached = 0 } = tokens;
    requests.push({ model: `${provider}/${model}`, tokens: { input, output, cached }, costUsd });
  }
  if (damaged > 0)
    context.warn(`${damaged} lines or files of the accounting cannot be read and are not counted.`);
  const runs = listRuns(sinceMs, context).flatMap((usage) =>
    sessions.has(usage.session_id) ? [] : [describeRun(usage)],
  );
  const uses = [...requests, ...runs];
  return {
    ...total(uses),
    requests: requests.length,
    runs: runs.length,
    unpriced: uses.filter(isUnpriced).length,
    models: [...Map.groupBy(uses, ({ model }) => model)]
      .map(([model, list]) => ({ model, uses: list.length, ...total(list) }))
      .toSorted((a, b) => b.cost_usd - a.cost_usd),
  };
}

/** A failed request that used nothing needs no price. */
function isUnpriced({ costUsd, tokens: { input, output } }: Use): boolean {
  return costUsd === undefined && input + output > 0;
}

function total(uses: readonly Use[]): { readonly cost_usd: number; readonly tokens: Tokens } {
  const sum = (valueOf: (use: Use) => number | undefined): number =>
    uses.reduce((before, use) => before + (valueOf(use) ?? 0), 0);
  return {
    cost_usd: sum(({ costUsd }) => costUsd),
    tokens: {
      input: sum(({ tokens }) => tokens.input),
      output: sum(({ tokens }) => tokens.output),
      cached: sum(({ tokens }) => tokens.cached),
    },
  };
}

/** What the agents of runs reported, of runs that ended since a time or are open. */
function listRuns(sinceMs: number, { home, system }: CommandContext): readonly JsonObject[] {
  const now = system.clock.now();
  const found: JsonObject[] = [];
  for (const id of listIds(home.path, 'run')) {
    const { started_at: started, ended_at: ended, agent } = readRunUsage(home.path, id, now);
    if (started !== null && Date.parse(started) < sinceMs - LONGEST_RUN_MS) break;
    if (agent !== null && (ended === null || Date.parse(ended) >= sinceMs)) found.push(agent);
  }
  return found;
}

function describeRun({ models, tokens, cost_usd: cost }: JsonObject): Use {
  const known = isPlainObject(tokens) ? tokens : {};
  const count = (name: keyof Tokens): number => {
    const value = known[name];
    return typeof value === 'number' ? value : 0;
  };
  const names = Array.isArray(models) ? models.map(String).join(', ') : '';
  return {
    model: names === '' ? 'unknown' : names,
    tokens: { input: count('input'), output: count('output'), cached: count('cached') },
    costUsd: typeof cost === 'number' ? cost : undefined,
  };
}
