/** Parses `<pid>/io`: the bytes of all reads and writes, including pipes and sockets. */
export function parseIo(text: string): number | null {
  const read = /^rchar: (\d+)/mu.exec(text)?.[1];
  const written = /^wchar: (\d+)/mu.exec(text)?.[1];
  return read === undefined || written === undefined ? null : Number(read) + Number(written);
}
