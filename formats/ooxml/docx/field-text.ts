import { decodeSymbols } from './symbols';

/** Start of a field instruction (ECMA-376 part 1, 17.16.5), including older editions. */
const keyword = /^\s*(?:=|[A-Za-z][A-Za-z0-9]*)/;

/** Returns the visible text of a field without a result, derived from its instruction; empty for most fields. */
export function findFieldText(instruction: string): string {
  const [, button] = /^\s*MACROBUTTON\s+\S+\s([^]*)$/i.exec(instruction) ?? [];
  if (button !== undefined) return button.trim();
  const [, quoted] = /^\s*QUOTE\s+"([^"]*)"/i.exec(instruction) ?? [];
  if (quoted !== undefined) return quoted;
  const [, number, options = ''] = /^\s*SYMBOL\s+(0x[\da-f]+|\d+)([^]*)$/i.exec(instruction) ?? [];
  if (number !== undefined) {
    const [, font] = /\\f\s+"?([^"\\]+)"?/i.exec(options) ?? [];
    return decodeSymbols(String.fromCodePoint(Math.min(Number(number), 0xffff)), font?.trim());
  }
  return keyword.test(instruction) ? '' : instruction.trim();
}
