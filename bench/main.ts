/**
 * Measures the latency that callers see, as ratios to the bare runtimes, so that the figures are comparable between machines. Needs the build.
 * Exits 1 when a target is missed.
 */
import { agentSession } from './agent-session.ts';
import { auditAppend } from './audit-append.ts';
import { coldStart } from './cold-start.ts';
import { continuityCold } from './continuity-cold.ts';
import { continuityHooks } from './continuity-hooks.ts';
import { continuityPush } from './continuity-push.ts';
import { continuitySize } from './continuity-size.ts';
import { fleetOverhead } from './fleet.ts';
import { memoryRecall } from './memory-recall.ts';
import { pagedList } from './paged-list.ts';
import { missedTargets, renderReport } from './report.ts';
import { sharedStore } from './shared-store.ts';
import { triagePlan } from './triage-plan.ts';
import { triageSize } from './triage-size.ts';
import { workPromotion } from './work-promotion.ts';
import { workWorkspace } from './work-workspace.ts';

const missed: string[] = [];
const SUITES = [
  coldStart,
  pagedList,
  auditAppend,
  continuityCold,
  continuityPush,
  continuitySize,
  continuityHooks,
  sharedStore,
  memoryRecall,
  agentSession,
  triagePlan,
  triageSize,
  workPromotion,
  workWorkspace,
  fleetOverhead,
];
for (const suite of SUITES) {
  for (const report of await suite()) {
    console.log(renderReport(report));
    missed.push(...missedTargets(report));
  }
}
for (const line of missed) console.error(`Missed: ${line}`);
process.exitCode = missed.length === 0 ? 0 : 1;
