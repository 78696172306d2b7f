import { union } from '../geometry/box';
import type { Glyph, Run } from '../geometry/page';

/** Least ratio of the size of a drop cap to that of the text beside it. */
const minShare = 1.8;

/** Attaches each drop cap, a large initial at least two lines high, to the first line beside it. */
export function attachDropCaps(runs: readonly Run[]): Run[] {
  if (!runs.some(isCapital)) return [...runs];
  let current = [...runs];
  for (const run of runs.filter(isCapital)) {
    const cap = run.glyphs[0] as Glyph;
    const rest = omitFirst(run);
    const others = current.filter((other) => other !== run);
    const beside = [...others, ...(rest ? [rest] : [])].filter((other) => isBeside(other, cap));
    const top = beside.toSorted((a, b) => b.baseline - a.baseline)[0];
    if (!top || beside.length < 2 || !/^\p{L}/u.test(top.glyphs[0]?.text ?? '')) continue;
    const box = { l: top.box.l - (cap.box.r - cap.box.l), r: top.box.l, b: top.box.b, t: top.box.t };
    const first = { ...cap, box, baseline: top.baseline, size: top.size, font: (top.glyphs[0] as Glyph).font };
    const joined = {
      ...top,
      glyphs: [first, ...top.glyphs],
      box: union([box, top.box]),
      order: Math.min(run.order, top.order),
    };
    current = [...others, ...(rest && rest !== top ? [rest] : [])].map((other) => {
      if (other === top) return joined;
      return beside.includes(other) ? extendToLeft(other, box.l) : other;
    });
    if (rest === top) current.push(joined);
  }
  return current.toSorted((a, b) => a.order - b.order);
}

/** The lines beside a drop cap begin at the margin: they have no indent. */
function extendToLeft(run: Run, l: number): Run {
  const [first, ...others] = run.glyphs as [Glyph, ...Glyph[]];
  return { ...run, glyphs: [{ ...first, box: { ...first.box, l } }, ...others], box: { ...run.box, l } };
}

/** True for a run that is a single capital, or begins with one much larger than the next glyph. */
function isCapital({ glyphs }: Run): boolean {
  const [first, second] = glyphs;
  if (!first || !/^\p{Lu}$/u.test(first.text)) return false;
  return glyphs.length === 1 || (second !== undefined && first.size >= minShare * second.size);
}

function omitFirst(run: Run): Run | undefined {
  const glyphs = run.glyphs.slice(1);
  const [next] = glyphs;
  if (!next) return undefined;
  return { ...run, glyphs, box: union(glyphs.map(({ box }) => box)), baseline: next.baseline, size: next.size };
}

/** True for a run that begins just right of the drop cap, within its height. */
function isBeside({ box, baseline, size, rtl }: Run, cap: Glyph): boolean {
  return (
    !rtl &&
    cap.size >= minShare * size &&
    box.l > cap.box.r - 0.5 * size &&
    box.l < cap.box.r + 1.5 * size &&
    baseline > cap.baseline - 0.9 * size &&
    baseline < cap.baseline + 0.9 * cap.size
  );
}
