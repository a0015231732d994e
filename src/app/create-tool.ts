import { STANDARD_SETTINGS } from '../config/setting-table.ts';
import type { Tool } from '../contract/tool.ts';

/** What a program built on the kernel must define; the rest has conservative defaults. */
export type ToolIdentity = Pick<Tool, 'name' | 'version' | 'description'> & Partial<Tool>;

/** Creates a tool from its identity and the defaults. */
export function createTool(identity: ToolIdentity): Tool {
  return {
    riskTier: 'T1',
    evidence: { functionalCoverage: 'missing', mockUpstream: 'missing', liveSmoke: 'missing' },
    settings: STANDARD_SETTINGS,
    changelog: () => Promise.resolve([]),
    ...identity,
  };
}
