import type { Checker } from '../../contract/health-check.ts';

/** The checks that only deed has; each is loaded when it runs. */
export const DEED_CHECKS: Readonly<Record<string, Checker>> = {
  receipts: async (context, options) => (await import('./check-receipts.ts')).checkReceipts(context, options),
  triage_key: async (context, options) =>
    (await import('./check-triage-key.ts')).checkTriageKey(context, options),
  store: async (context, options) => (await import('./check-store.ts')).checkStore(context, options),
  disk: async (context, options) => (await import('./check-disk.ts')).checkDisk(context, options),
  retention: async (context, options) =>
    (await import('./check-retention.ts')).checkRetention(context, options),
  git: async (context, options) => (await import('./check-git.ts')).checkGit(context, options),
  workspace: async (context, options) =>
    (await import('./check-workspace.ts')).checkWorkspace(context, options),
  proc: async (context, options) => (await import('./check-processes.ts')).checkProc(context, options),
  signals: async (context, options) => (await import('./check-processes.ts')).checkSignals(context, options),
  providers: async (context, options) => (await import('./check-agents.ts')).checkProviders(context, options),
  tool_servers: async (context, options) =>
    (await import('./check-agents.ts')).checkToolServers(context, options),
  setup: async (context, options) => (await import('./check-setup.ts')).checkSetup(context, options),
  hooks: async (context, options) => (await import('./check-hooks.ts')).checkHooks(context, options),
  tools: async (context, options) => (await import('./check-tools.ts')).checkTools(context, options),
  skill: async (context, options) => (await import('./check-skill.ts')).checkSkill(context, options),
  update: async (context, options) =>
    (await import('./check-for-update.ts')).checkForUpdate(context, options),
};
