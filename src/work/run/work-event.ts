/** An event of a job, for progress lines and `--stream`. */
export interface WorkEvent {
  readonly type:
    | 'job.started'
    | 'level.started'
    | 'tree.read'
    | 'run.started'
    | 'run.isolated'
    | 'setup.started'
    | 'setup.ended'
    | 'tool.called'
    | 'run.executed'
    | 'tests.started'
    | 'tests.ended'
    | 'run.waiting'
    | 'run.rerun'
    | 'run.retried'
    | 'run.ended'
    | 'job.reconciled'
    | 'job.ended';
  readonly at: string;
  readonly job_id?: string | undefined;
  readonly item_id?: string | undefined;
  readonly run_id?: string | undefined;
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  /** The last lines of the output of an agent whose run failed. */
  readonly output?: readonly string[] | undefined;
}
