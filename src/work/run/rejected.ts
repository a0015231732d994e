/** Prefix of the reason of a run that a person rejected. It is not tried again. */
export const REJECTED = 'Rejected by ';
