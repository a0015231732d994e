/** Tells whether this process runs on glibc rather than musl; the runtime reports the version of the one it was built for. */
export function runsOnGlibc(): boolean {
  const { header } = process.report.getReport() as {
    readonly header: { readonly glibcVersionRuntime?: string };
  };
  return header.glibcVersionRuntime !== undefined;
}
