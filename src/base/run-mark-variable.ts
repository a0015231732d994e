/**
 * The environment variable with the keyed mark of a run. Together with `DEED_RUN_ID` it shows that a process was started by the run:
 * the id is known to everyone who can list runs, the mark only to deed and to processes of the run.
 */
export const RUN_MARK = 'DEED_RUN_MARK';
