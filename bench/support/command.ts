/** Prints a line and returns the exit code of success. */
export function print(line: string): number {
  process.stdout.write(`${line}\n`);
  return 0;
}

/** Runs a benchmark with the arguments of the command line. Its result is the exit code; an error is printed and gives 1. */
export function runCommand(main: (argv: string[]) => Promise<number>): void {
  main(process.argv.slice(2)).then(
    (code) => (process.exitCode = code),
    (error: unknown) => {
      process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
