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
  const switches = readSwitches(source);
  return mapOutsideVerbatim(source, (part) => keepEnabled(part, switches));
}

/** Returns the switches by name, `ifdraft`, with their values at the end of the preamble. */
function readSwitches(source: string): Map<string, boolean> {
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

/** Returns the part without its disabled branches and the conditions that were decided. */
function keepEnabled(part: string, switches: ReadonlyMap<string, boolean>): string {
  const open: Condition[] = [];
  let output = '';
  let at = 0;
  /** Number of open disabled branches. */
  let disabled = 0;
  for (const { 0: keyword, 1: word, index } of part.matchAll(keywords)) {
    const name = word!;
    const isCondition = name !== 'else' && name !== 'fi';
    // `\newif\ifdraft` defines a switch and does not test one.
    const isDefinition = /\\newif\s*$/.test(part.slice(Math.max(0, index - 16), index));
    const isKnown = switches.has(name) || conditionNames.includes(name);
    if (isCondition && (isDefinition || !isKnown)) continue;
    const current = open.at(-1);
    if (!isCondition && !current) continue;
    const isDecided = isCondition ? switches.has(name) : current!.isOn !== undefined;
    if (disabled === 0) output += part.slice(at, isDecided ? index : index + keyword.length);
    at = index + keyword.length;
    if (isCondition) {
      open.push({ isOn: switches.get(name) });
      if (switches.get(name) === false) disabled += 1;
    } else if (name === 'else' && current!.isOn !== undefined) {
      disabled += current!.isOn ? 1 : -1;
      current!.isOn = !current!.isOn;
    } else if (name === 'fi') {
      if (current!.isOn === false) disabled -= 1;
      open.pop();
    }
  }
  return disabled > 0 ? output : output + part.slice(at);
}
