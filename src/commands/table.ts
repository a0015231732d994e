import type { CommandLoader } from '../contract/command-table.ts';
import { STANDARD_COMMANDS } from './standard-commands.ts';

/** Tasks, memory and the log of agents: what deed and vybe share. */
const CONTINUITY_COMMANDS: Readonly<Record<string, CommandLoader>> = {
  resume: () => import('./resume.ts'),
  brief: () => import('./brief.ts'),
  push: () => import('./push.ts'),
  status: () => import('./status.ts'),
  'task create': () => import('./task/create.ts'),
  'task begin': () => import('./task/begin.ts'),
  'task heartbeat': () => import('./task/heartbeat.ts'),
  'task get': () => import('./task/get.ts'),
  'task list': () => import('./task/list.ts'),
  'task next': () => import('./task/next.ts'),
  'task take': () => import('./task/take.ts'),
  'task edit': () => import('./task/edit.ts'),
  'task set-status': () => import('./task/set-status.ts'),
  'task set-priority': () => import('./task/set-priority.ts'),
  'task complete': () => import('./task/complete.ts'),
  'task add-dep': () => import('./task/add-dep.ts'),
  'task remove-dep': () => import('./task/remove-dep.ts'),
  'task delete': () => import('./task/delete.ts'),
  'memory set': () => import('./memory/set.ts'),
  'memory get': () => import('./memory/get.ts'),
  'memory list': () => import('./memory/list.ts'),
  'memory search': () => import('./memory/search.ts'),
  'memory history': () => import('./memory/history.ts'),
  'memory confirm': () => import('./memory/confirm.ts'),
  'memory delete': () => import('./memory/delete.ts'),
  'memory gc': () => import('./memory/gc.ts'),
  'events list': () => import('./events/list.ts'),
  'artifacts list': () => import('./artifacts/list.ts'),
  'store backup': () => import('./store/backup.ts'),
  'store check': () => import('./store/check.ts'),
  'store copy': () => import('./store/copy.ts'),
  'store export': () => import('./store/export.ts'),
  'store import': () => import('./store/import.ts'),
  'store restore': () => import('./store/restore.ts'),
  'store upgrade': () => import('./store/upgrade.ts'),
  'store use': () => import('./store/use.ts'),
  'store vacuum': () => import('./store/vacuum.ts'),
  'hook install': () => import('./hook/install.ts'),
  'hook uninstall': () => import('./hook/uninstall.ts'),
  loop: () => import('./loop/loop.ts'),
  'loop stats': () => import('./loop/stats.ts'),
};

/** LLM sessions with tools: what deed and ai-agent share. */
export const AGENT_COMMANDS: Readonly<Record<string, CommandLoader>> = {
  'agent costs': () => import('./agent/costs.ts'),
  'agent login': () => import('./agent/login.ts'),
  'agent run': () => import('./agent/run.ts'),
  'agent sessions list': () => import('./agent/sessions/list.ts'),
  'agent sessions prune': () => import('./agent/sessions/prune.ts'),
  'agent sessions show': () => import('./agent/sessions/show.ts'),
  'agent tools': () => import('./agent/tools.ts'),
  'agent validate': () => import('./agent/validate.ts'),
};

/** Atomic work and its receipts. */
const WORK_COMMANDS: Readonly<Record<string, CommandLoader>> = {
  'worker start': () => import('./worker/start.ts'),
  'worker list': () => import('./worker/list.ts'),
  'worker drain': () => import('./worker/drain.ts'),
  'integrator start': () => import('./integrator/start.ts'),
  'work run': () => import('./work/run.ts'),
  'work status': () => import('./work/status.ts'),
  'work result': () => import('./work/result.ts'),
  'work cancel': () => import('./work/cancel.ts'),
  'work fleet': () => import('./work/fleet.ts'),
  'work list': () => import('./work/list.ts'),
  'work show': () => import('./work/show.ts'),
  'work log': () => import('./work/log.ts'),
  'work diff': () => import('./work/diff.ts'),
  'work graph': () => import('./work/graph.ts'),
  'work replay': () => import('./work/replay.ts'),
  'work approve': () => import('./work/approve.ts'),
  'work reject': () => import('./work/reject.ts'),
  'work revise': () => import('./work/revise.ts'),
  'work rollback': () => import('./work/rollback.ts'),
  'work commit': () => import('./work/commit.ts'),
  'work blame': () => import('./work/blame.ts'),
  'work recover': () => import('./work/recover.ts'),
  'work gc': () => import('./work/gc.ts'),
  'receipt show': () => import('./receipt/show.ts'),
  'receipt export': () => import('./receipt/export.ts'),
  'receipt list': () => import('./receipt/list.ts'),
  'receipt verify': () => import('./receipt/verify.ts'),
  'receipt trust': () => import('./receipt/trust.ts'),
  'receipt untrust': () => import('./receipt/untrust.ts'),
  'receipt signers': () => import('./receipt/signers.ts'),
};

/** The triage commands, shared by deed and pt except for apply. */
const TRIAGE_COMMANDS: Readonly<Record<string, CommandLoader>> = {
  'triage snapshot': () => import('./triage/snapshot.ts'),
  'triage plan': () => import('./triage/plan.ts'),
  'triage explain': () => import('./triage/explain.ts'),
  'triage apply': () => import('./triage/apply.ts'),
  'triage verify': () => import('./triage/verify.ts'),
  'triage diff': () => import('./triage/diff.ts'),
  'triage status': () => import('./triage/status.ts'),
  'triage sessions': () => import('./triage/sessions.ts'),
  'triage export': () => import('./triage/export.ts'),
  'triage report': () => import('./triage/report.ts'),
  'triage capabilities': () => import('./triage/capabilities.ts'),
  'triage watch': () => import('./triage/watch.ts'),
};

/** Commands of deed only, because the contract of pt has no verbs for them: decisions of users about processes, and the view of all hosts. */
const OWN_TRIAGE_COMMANDS: Readonly<Record<string, CommandLoader>> = {
  'triage fleet': () => import('./triage/fleet.ts'),
  'triage protect list': () => import('./triage/protect/list.ts'),
  'triage protect add': () => import('./triage/protect/add.ts'),
  'triage protect remove': () => import('./triage/protect/remove.ts'),
  'triage feedback': () => import('./triage/feedback.ts'),
};

/** The commands of pt; its contract has its own answer for apply. */
export const PT_COMMANDS: Readonly<Record<string, CommandLoader>> = {
  ...TRIAGE_COMMANDS,
  'triage apply': () => import('./triage/pt-apply.ts'),
};

/** All commands of deed, in help order. */
export const DEED_COMMANDS: Readonly<Record<string, CommandLoader>> = {
  overview: () => import('./overview.ts'),
  ...STANDARD_COMMANDS,
  doctor: () => import('./doctor/deed-doctor.ts'),
  'audit retire': () => import('./audit/retire.ts'),
  ...CONTINUITY_COMMANDS,
  ...AGENT_COMMANDS,
  ...WORK_COMMANDS,
  ...TRIAGE_COMMANDS,
  ...OWN_TRIAGE_COMMANDS,
  setup: () => import('./setup/setup.ts'),
  'setup undo': () => import('./setup/undo.ts'),
  gc: () => import('./gc.ts'),
  'mcp serve': () => import('./mcp/serve.ts'),
  web: () => import('./web/web.ts'),
  demo: () => import('./demo.ts'),
  update: () => import('./update.ts'),
};

/** The commands of vybe; only vybe handles hooks, because the host expects its format. */
export const VYBE_TABLE: Readonly<Record<string, CommandLoader>> = {
  ...CONTINUITY_COMMANDS,
  'hook handle': () => import('./hook/handle.ts'),
};
