/** The 95 % Wilson interval of a proportion. */
export function wilson(hits: number, count: number): { low: number; high: number } {
  const z = 1.96;
  const share = hits / count;
  const centre = (share + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
  const half =
    (z / (1 + z ** 2 / count)) * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
