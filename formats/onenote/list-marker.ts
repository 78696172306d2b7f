import { toRoman } from '../roman';
import { listNames, findNumber, findText, property } from './properties';
import type { NoteObject, Space } from './section';

/** The marker of a list element. */
export interface ListMarker {
  /** False for bullets. */
  isEnumerated: boolean;
  /** The number at which the list restarts here. */
  restart: number | undefined;
  /** Returns the marker for a number, such as `3.`; empty for bullets. */
  write: (number: number) => string;
}

/** Marks the place of the number; the next character is the kind of digits (MS-ONE 2.3.40). */
const placeholder = /\ufffd([^])/;
const enumerations: Readonly<Record<number, (number: number) => string>> = {
  1: toRoman,
  2: (number) => toRoman(number).toLowerCase(),
  3: toLetters,
  4: (number) => toLetters(number).toLowerCase(),
};

/** The marker of an outline element; undefined if it has none. */
export function readMarker(space: Space, element: NoteObject): ListMarker | undefined {
  const [name] = listNames(element, property.list);
  const list = name === undefined ? undefined : space.object(name);
  // The first character is the length of the rest.
  const format = list && findText(list, property.numberFormat)?.slice(1);
  if (list === undefined || format === undefined) return undefined;
  const number = placeholder.exec(format);
  if (!number) return { isEnumerated: false, restart: undefined, write: () => '' };
  const toDigits = enumerations[number[1]!.charCodeAt(0)] ?? String;
  return {
    isEnumerated: true,
    restart: findNumber(list, property.restart),
    write: (value) => format.replace(number[0], toDigits(value)).replaceAll('\0', ''),
  };
}

function toLetters(number: number): string {
  if (number < 1 || number > 100_000) return String(number);
  const rest = Math.floor((number - 1) / 26);
  return (rest > 0 ? toLetters(rest) : '') + String.fromCharCode(65 + ((number - 1) % 26));
}
