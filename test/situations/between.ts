export async function runBetween(_pt: string, _rounds: number): Promise<number> {
  return 0;
}
