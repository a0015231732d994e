/** The argument that starts this program as the watch of a loop; internal. */
export const WATCH_ENTRY = '__watch-loop';
