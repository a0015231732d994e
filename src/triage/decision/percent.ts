/** Renders a probability as a percentage. Values below 1 never round to 100 %, values above 0 never to 0 %. */
export function percent(share: number): string {
  const text = (share * 100).toFixed(1);
  if (text === '100.0' && share < 1) return '>99.9 %';
  return text === '0.0' && share > 0 ? '<0.1 %' : `${text} %`;
}
