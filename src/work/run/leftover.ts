/** A process of a run that was still running after the run or its tests had ended. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
  /** False if it could not be terminated. */
  readonly ended: boolean;
}
