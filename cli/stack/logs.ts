import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { readDataFolder } from '../../embedded/paths';
import { AppError } from '../../model/errors';
import { createWholeNumberParser } from '../convert/whole-number';

const pollMs = 300;

/** `docloom logs [NAME…]`: prints the last log lines of processes in the data folder, and with -f new lines as they appear. */
export function createLogsCommand(): Command {
  return new Command('logs')
    .description('Prints the last lines of the logs in the data folder: up, api, worker and each server.')
    .argument('[names...]', 'logs to print; default: all')
    .option('-f, --follow', 'print new lines as they are written, until Ctrl-C')
    .option('-n, --lines <n>', 'lines of each log', createWholeNumberParser(0), 20)
    .option('--json', 'print each line as {"log", "line"} in JSON')
    .action(async (names: string[], { follow, lines, json }: { follow?: boolean; lines: number; json?: boolean }) => {
      const print = json ? printJsonLines : printLines;
      const folder = path.join(readDataFolder(process.env), 'logs');
      for (const name of listChosenLogs(folder, names)) {
        const text = readFileSync(path.join(folder, `${name}.log`), 'utf8');
        const logged = text.split('\n').filter(Boolean);
        print(name, lines === 0 ? [] : logged.slice(-lines));
      }
      if (follow) await followLogs(folder, names, print);
    });
}

/** All logs, or the named ones. Throws VALIDATION_ERROR for a name without a log, SERVICE_UNAVAILABLE if there are no logs. */
function listChosenLogs(folder: string, names: readonly string[]): string[] {
  const existing = existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith('.log'))
        .map((file) => path.basename(file, '.log'))
        .toSorted()
    : [];
  if (existing.length === 0)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `There is no log in ${folder}: change to the folder in which \`docloom up\` was started, or set DOCLOOM_DATA to its data folder.`,
    );
  const unknown = names.find((name) => !existing.includes(name));
  if (unknown !== undefined)
    throw new AppError(
      'VALIDATION_ERROR',
      `There is no log '${unknown}' in ${folder}; expected ${existing.join(', ')}.`,
    );
  return names.length > 0 ? [...names] : existing;
}

async function followLogs(folder: string, names: readonly string[], print: Print): Promise<never> {
  const ends = new Map(listChosenLogs(folder, names).map((name) => [name, getSize(folder, name)]));
  for (;;) {
    await delay(pollMs);
    for (const name of listChosenLogs(folder, names)) {
      const size = getSize(folder, name);
      const from = ends.get(name) ?? 0;
      const added = size > from ? readFrom(path.join(folder, `${name}.log`), from, size) : '';
      // The rest of an incomplete line is printed with the next poll.
      const whole = added.slice(0, added.lastIndexOf('\n') + 1);
      ends.set(name, size < from ? 0 : from + Buffer.byteLength(whole));
      if (whole) print(name, whole.trimEnd().split('\n'));
    }
  }
}

function getSize(folder: string, name: string): number {
  return statSync(path.join(folder, `${name}.log`)).size;
}

function readFrom(file: string, from: number, to: number): string {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(to - from);
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, from));
  } finally {
    closeSync(handle);
  }
}

type Print = (name: string, lines: readonly string[]) => void;

function printLines(name: string, lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${name} | ${line}\n`).join(''));
}

function printJsonLines(log: string, lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${JSON.stringify({ log, line })}\n`).join(''));
}
