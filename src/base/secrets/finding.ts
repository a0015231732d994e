/** The place of a secret in a text. */
export interface Finding {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}
