/** The place of a secret in a text. */
export interface SecretFinding {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}
