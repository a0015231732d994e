import { DEED_SETTINGS } from '../config/setting-table.ts';
import type { Tool } from '../contract/tool.ts';
import { BUILD } from './build.ts';

/** The identity of deed. Tests in test/conformance check the evidence. */
export const deedTool: Tool = {
  name: 'deed',
  version: BUILD.version,
  description: 'the operating layer for AI agents',
  riskTier: 'T2',
  evidence: { functionalCoverage: 'verified', mockUpstream: 'verified', liveSmoke: 'missing' },
  settings: DEED_SETTINGS,
  changelog: async () => (await import('./build-changelog.ts')).CHANGELOG,
  credentialVariables: [
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'OPENROUTER_API_KEY',
  ],
};
