/** Ends a sentence about a protected document; `password` is the one that was given, and does not open it. */
export function explainPassword(password: string | undefined): string {
  return password === undefined
    ? 'protected by a password; give it as the option `password` (`--password` of the command line)'
    : 'protected by a password other than the one given';
}
