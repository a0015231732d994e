/** Renders how long ago a time was: `5 min ago`, `3 h ago`; `in 5 min` for a time in the future. */
export function agoInWords(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at);
  return ms < -60_000 ? `in ${minutesInWords(-ms)}` : `${minutesInWords(ms)} ago`;
}

function minutesInWords(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`;
}

/** Renders a duration: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function durationInWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
