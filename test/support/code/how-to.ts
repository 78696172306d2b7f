import { readFileSync } from 'node:fs';

/** A step of a how-to: save a file, or type commands. */
export type HowToStep =
  | { kind: 'file'; name: string; text: string }
  | { kind: 'commands'; commands: string; expected: string[] };

/**
 * The steps of a page. A code block after a line that is only a file name is that file; a block `sh` is typed; a block `text` after
 * it has lines that appear in the output in that order, where an ellipsis is anything. Other blocks are not followed.
 */
export function readHowTo(file: string): HowToStep[] {
  const page = readFileSync(file, 'utf8');
  const steps: HowToStep[] = [];
  const blocks = /(?:^ *`([^`\n]+)`:\n\n)?^( *)```(\w*)\n([\s\S]*?)^\2```$/gm;
  for (const [, name, indent = '', language, body = ''] of page.matchAll(blocks)) {
    const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const last = steps.at(-1);
    if (name !== undefined) steps.push({ kind: 'file', name, text });
    else if (language === 'sh') steps.push({ kind: 'commands', commands: text, expected: [] });
    else if (language === 'text' && last?.kind === 'commands') last.expected.push(...text.trimEnd().split('\n'));
  }
  return steps;
}

/** The first expected line that the output lacks, each searched after the previous one; undefined if all are found. */
export function missingLine(output: string, expected: readonly string[]): string | undefined {
  let from = 0;
  for (const line of expected) {
    const parts = line.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    const match = new RegExp(`^${parts.join('.*')}$`, 'm').exec(output.slice(from));
    if (!match) return line;
    from += match.index + match[0].length;
  }
  return undefined;
}

/** The commands of a block, each with the lines in which it continues. */
export function splitCommands(block: string): string[] {
  const commands: string[] = [];
  let begun = '';
  for (const line of block.split('\n')) {
    begun += begun === '' ? line : `\n${line}`;
    const isOpen = /[\\|]$/.test(line.trimEnd()) || (begun.match(/'/g) ?? []).length % 2 === 1;
    if (isOpen) continue;
    if (begun.trim() !== '') commands.push(begun);
    begun = '';
  }
  return begun === '' ? commands : [...commands, begun];
}
