/** Prints a line and returns the exit code, by default that of success. */
export function print(line: string, code = 0): number {
  process.stdout.write(`${line}\n`);
  return code;
}

/** The argument after the option `name`; undefined if the option is not there. */
export function readOption(argv: readonly string[], name: string): string | undefined {
  const position = argv.indexOf(name);
  return position === -1 ? undefined : argv[position + 1];
}

/** The number after the option `name`, or `fallback` if the option is not there. */
export function readNumber(argv: readonly string[], name: string, fallback: number): number {
  return Number(readOption(argv, name) ?? fallback);
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
