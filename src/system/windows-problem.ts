/** Describes that a program does not run on Windows, and what to do instead. */
export function windowsProblem(name: string): { readonly message: string; readonly hint: string } {
  return {
    message: `${name} does not run on Windows; it runs on Linux, macOS and in WSL.`,
    hint: `Install WSL with "wsl --install", then install and run ${name} inside it.`,
  };
}
