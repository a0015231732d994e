/** The argument that starts this program as the supervisor of a confined command; internal. */
export const CONFINE_ENTRY = '__confine';
