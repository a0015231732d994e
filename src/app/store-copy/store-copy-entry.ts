/** The argument that starts this program to copy the store of a home; internal. */
export const COPY_ENTRY = '__copy-store';
