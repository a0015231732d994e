import { deedSettings } from '../config/setting-table.ts';
import type { Tool } from '../contract/tool.ts';
import { BUILD } from './build.ts';

/** Who deed is. The evidence is held true by the tests: see test/conformance. */
export function createDeedTool(more: Pick<Tool, 'serveMcp'> = {}): Tool {
  return {
    ...more,
    name: 'deed',
    version: BUILD.version,
    description: 'the operating layer for AI agents',
    riskTier: 'T2',
    evidence: { functionalCoverage: 'verified', mockUpstream: 'verified', liveSmoke: 'missing' },
    get settings() {
      return deedSettings();
    },
    changelog: () => BUILD.changelog,
    credentialVariables: [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'GOOGLE_GENERATIVE_AI_API_KEY',
      'OPENROUTER_API_KEY',
    ],
    // Loaded when doctor runs, and only then.
    checks: {
      store: async (context, options) =>
        (await import('./doctor/check-store.ts')).checkStore(context, options),
      disk: async (context, options) => (await import('./doctor/check-disk.ts')).checkDisk(context, options),
      git: async (context, options) => (await import('./doctor/check-git.ts')).checkGit(context, options),
      workspace: async (context, options) =>
        (await import('./doctor/check-workspace.ts')).checkWorkspace(context, options),
      proc: async (context, options) =>
        (await import('./doctor/check-processes.ts')).checkProc(context, options),
      signals: async (context, options) =>
        (await import('./doctor/check-processes.ts')).checkSignals(context, options),
      providers: async (context, options) =>
        (await import('./doctor/check-agents.ts')).checkProviders(context, options),
      tool_servers: async (context, options) =>
        (await import('./doctor/check-agents.ts')).checkToolServers(context, options),
      hooks: async (context, options) =>
        (await import('./doctor/check-hooks.ts')).checkHooks(context, options),
      tools: async (context, options) =>
        (await import('./doctor/check-tools.ts')).checkTools(context, options),
      skill: async (context, options) =>
        (await import('./doctor/check-skill.ts')).checkSkill(context, options),
      update: async (context, options) =>
        (await import('./doctor/check-for-update.ts')).checkUpdate(context, options),
    },
  };
}

/** The same for whoever serves nobody else. */
export const deedTool: Tool = createDeedTool();
