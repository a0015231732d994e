import type * as v from 'valibot';
import type { ChangelogEntry } from '../base/changelog-entry.ts';
import type { JsonObject } from '../base/json.ts';

/** T0 only reads; T1 writes; T2 does what cannot be undone. */
export type RiskTier = 'T0' | 'T1' | 'T2';

export type EvidenceStatus = 'verified' | 'missing' | 'not_applicable' | 'unknown';

/** The test evidence of this release; the level is derived from it. */
export interface Evidence {
  readonly functionalCoverage: EvidenceStatus;
  readonly mockUpstream: EvidenceStatus;
  readonly liveSmoke: EvidenceStatus;
}

/** One setting of a tool's configuration; src/config documents the members. */
export interface ToolSetting {
  readonly schema: () => v.GenericSchema;
  readonly defaultValue: string | number | boolean | readonly string[] | JsonObject;
  readonly scope: 'home' | 'folder';
  readonly description: string;
}

/** The identity of a program built on the kernel. */
export interface Tool {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly riskTier: RiskTier;
  readonly evidence: Evidence;
  readonly settings: Readonly<Record<string, ToolSetting>>;
  readonly changelog: () => Promise<readonly ChangelogEntry[]>;
  /** Environment variables that contain credentials; only whether they are set is reported. */
  readonly credentialVariables?: readonly string[];
}

/** The environment variable that sets a tool's home folder: `DEED_HOME`. */
export function homeVariable(tool: Tool): string {
  return toolVariable(tool, 'HOME');
}

/** An environment variable of a tool: `DEED_HOME`. */
export function toolVariable({ name }: Tool, suffix: string): string {
  return `${name.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '_')}_${suffix}`;
}
