import type { JSX } from 'preact';
import { plural } from '../base/format.ts';
import { groupByJob, type RunRow } from '../base/use-runs.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { JobList } from '../parts/job-list.tsx';
import { Empty, Loading } from '../parts/notice.tsx';

/** The newest jobs. */
export default function JobsPage({ runs }: { readonly runs: readonly RunRow[] | undefined }): JSX.Element {
  if (runs === undefined) return <Loading />;
  const jobs = groupByJob(runs);
  return (
    <>
      <div class="page-head">
        <h1>Jobs</h1>
        <span class="muted">{plural(jobs.length, 'job')} with the newest runs</span>
        <span class="spacer" />
        <CommandLine line="deed work list" />
      </div>
      {jobs.length === 0 ? (
        <Empty command="deed work run plan.yaml --dry-run">No job has run yet.</Empty>
      ) : (
        <section class="panel" aria-label="Jobs">
          <JobList jobs={jobs} />
        </section>
      )}
    </>
  );
}
