import { sha256 } from '../../system/digest.ts';

/** pg-boss names entries by UUIDs; a repeated call must get the same one. */
export function entryId(...parts: readonly (string | number)[]): string {
  const hex = sha256(JSON.stringify(parts)).replace('sha256:', '');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
