import { batchJobs } from './families/batch-jobs.ts';
import { builds } from './families/builds.ts';
import { daemons } from './families/daemons.ts';
import { databases } from './families/databases.ts';
import { debugging } from './families/debugging.ts';
import { desktop } from './families/desktop.ts';
import { devServers } from './families/dev-servers.ts';
import { editors } from './families/editors.ts';
import { languageServers } from './families/language-servers.ts';
import { leftovers } from './families/leftovers.ts';
import { multiplexers } from './families/multiplexers.ts';
import { namesAndOptions } from './families/names-and-options.ts';
import { notebooks } from './families/notebooks.ts';
import { packages } from './families/packages.ts';
import { secondOpinion } from './families/second-opinion.ts';
import { servers } from './families/servers.ts';
import { tests } from './families/tests.ts';
import { toolServers } from './families/tool-servers.ts';
import { transfers } from './families/transfers.ts';
import { watchers } from './families/watchers.ts';
import type { Family } from './situation.ts';

/** Written from the contract of triage alone, except for the last family, and never used for fitting. */
export const FAMILIES: readonly Family[] = [
  desktop,
  editors,
  multiplexers,
  notebooks,
  databases,
  servers,
  daemons,
  transfers,
  packages,
  builds,
  batchJobs,
  debugging,
  tests,
  watchers,
  languageServers,
  toolServers,
  devServers,
  leftovers,
  secondOpinion,
  namesAndOptions,
];
