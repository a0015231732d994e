/** Limits of the store; exceeding one is a fault with a code. */
export const STORE_LIMITS = {
  titleCharacters: 1000,
  textCharacters: 262_144,
  messageCharacters: 65_536,
  metadataCharacters: 262_144,
  valueCharacters: 524_288,
  nameCharacters: 512,
  pathCharacters: 4096,
  /** One push, as JSON text. */
  pushBytes: 1024 * 1024,
  pushParts: 500,
  deltas: 1000,
  /** Larger files are recorded without a hash. */
  hashedFileBytes: 512 * 1024 * 1024,
  defaultLeaseMs: 30 * 60_000,
  maxLeaseMs: 24 * 60 * 60_000,
  /** How long the late writes of a holder that lost its claim are rejected. */
  lostClaimMs: 24 * 60 * 60_000,
  requestRetentionMs: 30 * 24 * 60 * 60_000,
  maxExpiryMs: 3660 * 24 * 60 * 60_000,
  archiveAfterMs: 90 * 24 * 60 * 60_000,
} as const;

/** A longer text is shortened in the preview of a write. */
export const PREVIEW_CHARACTERS = 500;
