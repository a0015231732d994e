/** Reads `<pid>/io`: every byte that went through a read or a write, pipes and sockets included. */
export function parseIo(text: string): number | null {
  const read = /^rchar: (\d+)/mu.exec(text)?.[1];
  const written = /^wchar: (\d+)/mu.exec(text)?.[1];
  return read === undefined || written === undefined ? null : Number(read) + Number(written);
}
