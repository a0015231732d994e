/** Called after some rows of an import were read, compared with the store, or added. */
export type OnImport = (rows: number, done: 'read' | 'compared' | 'imported') => void;
