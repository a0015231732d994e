/**
 * Selects the program that the executable runs where a link cannot, because npm packages contain no links. Set by the launcher, by the
 * scripts next to the executable, and for processes that deed starts itself.
 */
export const PROGRAM_VARIABLE = 'DEED_RUN_AS';
