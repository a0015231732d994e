import { STANDARD_SETTINGS } from '../config/setting-table.ts';
import type { Tool } from '../contract/tool.ts';

/** What a program on the kernel must say about itself; the rest has defaults that claim nothing. */
export type ToolIdentity = Pick<Tool, 'name' | 'version' | 'description'> & Partial<Tool>;

/** Completes a tool from what its author says of it. */
export function createTool(identity: ToolIdentity): Tool {
  return {
    riskTier: 'T1',
    evidence: { functionalCoverage: 'missing', mockUpstream: 'missing', liveSmoke: 'missing' },
    settings: STANDARD_SETTINGS,
    changelog: () => [],
    ...identity,
  };
}
