/** A process of a run that was still there when the run, or its tests, were over. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
  /** False when it could not be ended. */
  readonly ended: boolean;
}
