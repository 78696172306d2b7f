import { mapOutsideVerbatim } from './source';

/** TeX conditions that end with `\fi`. Other commands that begin with `if` take arguments or are mathematical symbols. */
const conditionNames =
  'if ifx ifnum ifdim ifcase ifodd ifcat ifhmode ifvmode ifmmode ifdefined ifcsname iftrue iffalse'.split(' ');
const declared = /\\newif\s*\\if([A-Za-z@]+)/g;
const keywords = /\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])/g;

/**
 * Removes disabled branches: those of `\iffalse` and `\iftrue`, and of switches that the document defines with
 * `\newif`, as set in the preamble. Other conditions are kept.
 */
export function removeDisabledBranches(source: string): string {
  if (!/\\(?:iffalse|iftrue|newif)\b/.test(source)) return source;
  const switches = buildSwitches(source);
  return mapOutsideVerbatim(source, (part) => getKept(part, switches));
}

function buildSwitches(source: string): Map<string, boolean> {
  const switches = new Map([
    ['iftrue', true],
    ['iffalse', false],
  ]);
  for (const { 1: name } of source.matchAll(declared)) switches.set(`if${name!}`, false);
  const preamble = source.slice(0, Math.max(source.indexOf('\\begin{document}'), 0));
  for (const { 1: name, 2: value } of preamble.matchAll(/\\([A-Za-z@]+?)(true|false)(?![A-Za-z@])/g)) {
    if (name !== 'if' && switches.has(`if${name!}`)) switches.set(`if${name!}`, value === 'true');
  }
  return switches;
}

interface Condition {
  /** Undefined for a condition that cannot be decided here. */
  isOn: boolean | undefined;
}

function getKept(part: string, switches: ReadonlyMap<string, boolean>): string {
  const open: Condition[] = [];
  let [output, at, off] = ['', 0, 0];
  for (const { 0: keyword, 1: word, index } of part.matchAll(keywords)) {
    const name = word!;
    const isCondition = name !== 'else' && name !== 'fi';
    // `\newif\ifdraft` defines a switch and does not test one.
    if (
      isCondition &&
      (!(switches.has(name) || conditionNames.includes(name)) ||
        /\\newif\s*$/.test(part.slice(Math.max(0, index - 16), index)))
    ) {
      continue;
    }
    const current = open.at(-1);
    if (!isCondition && !current) continue;
    const wasOff = off > 0;
    const isOurs = isCondition ? switches.has(name) : current!.isOn !== undefined;
    if (!wasOff) output += part.slice(at, isOurs ? index : index + keyword.length);
    at = index + keyword.length;
    if (isCondition) {
      open.push({ isOn: switches.get(name) });
      if (switches.get(name) === false) off += 1;
    } else if (name === 'else' && current!.isOn !== undefined) {
      off += current!.isOn ? 1 : -1;
      current!.isOn = !current!.isOn;
    } else if (name === 'fi') {
      if (current!.isOn === false) off -= 1;
      open.pop();
    }
  }
  return off > 0 ? output : output + part.slice(at);
}
