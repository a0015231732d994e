/**
 * Names the program that the executable runs. Elsewhere the name of a link selects the program, but npm packages cannot contain links. Set
 * by the launcher, by the scripts next to the executable, and for processes that deed starts itself.
 */
export const PROGRAM_VARIABLE = 'DEED_RUN_AS';
