/** Words with which agents report that an approach does not work. */
export const RULED_OUT =
  /\b(?:ruled? out|ruling out|dead end|(?:did|does|do|will|would|can) ?n[o'’]?t (?:work|help|fix|solve)|tried .{0,80}\bbut\b|rejected|abandoned|gave up on|reverted)\b/iu;
