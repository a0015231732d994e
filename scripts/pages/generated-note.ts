/** The first line of every page that is generated. */
export const GENERATED = '<!-- Written by `npm run generate` from the source; do not edit. -->\n';
