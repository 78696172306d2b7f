import { measureOverlapY, union } from '../geometry/box';
import type { Line } from '../text/line';

/** The widest gap between a label and its field, in type sizes. */
const widestGap = 12;
/** Lines of a value in a field of several lines are at most this far apart, in type sizes. */
const leading = 1.6;

/**
 * Joins the value of a form field with its label, the words to the left of it, however far apart they are. Values of several
 * lines remain paragraphs.
 */
export function joinFieldValues(lines: readonly Line[]): Line[] {
  const values = lines.filter((line) => isValue(line) && !isPartOfLongValue(line, lines));
  if (values.length === 0) return [...lines];
  const labels = new Map<Line, Line>();
  for (const value of values) {
    const label = findLabel(value, lines);
    if (label && !labels.has(label)) labels.set(label, value);
  }
  const joined = new Set(labels.values());
  return lines
    .filter((line) => !joined.has(line))
    .map((line) => {
      const value = labels.get(line);
      if (!value) return line;
      const words = [...line.words, ...value.words];
      return { ...line, words, text: `${line.text} ${value.text}`, box: union([line.box, value.box]) };
    });
}

function isValue({ words }: Line): boolean {
  return words.every(({ isEntry }) => isEntry);
}

function isPartOfLongValue(value: Line, lines: readonly Line[]): boolean {
  return lines.some(
    (other) =>
      other !== value &&
      isValue(other) &&
      Math.abs(other.box.l - value.box.l) < 1 &&
      Math.abs(other.baseline - value.baseline) < leading * value.size &&
      other.size === value.size,
  );
}

function findLabel(value: Line, lines: readonly Line[]): Line | undefined {
  let label: Line | undefined;
  for (const line of lines) {
    if (line === value || line.isAside || line.box.r > value.box.l + 1) continue;
    if (measureOverlapY(line.box, value.box) < 0.5 * Math.min(line.size, value.size)) continue;
    if (!label || line.box.r > label.box.r) label = line;
  }
  const isNear = label && value.box.l - label.box.r < widestGap * label.size;
  return isNear && label && !isValue(label) ? label : undefined;
}
