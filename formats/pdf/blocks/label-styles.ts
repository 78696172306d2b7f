import type { Block, PlacedBlock } from '../layout/part';

/**
 * Text below a label is one line of fewer characters that ends no sentence: a value, a name, a translation. A sign of Chinese,
 * Japanese or Korean counts twice, because it says as much as two letters.
 */
const longestValue = 40;
const wideSign = /[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01-\uff60]/g;
/** Fewer labels in one style may be headings above short texts. */
const minLabels = 2;
/** Text further below, in type sizes, is no evidence: a table, a picture or white space is between. */
const reach = 3;

/**
 * The headings that are labels or parts of a sentence. Labels are bold, in the type size of the text, and most of those in their
 * style have a mere value below them, as in a form or a sheet. The heading of a section has running text, a list or another
 * heading below it. `isByWeight` is true for headings that differ from the text in weight only; `getStyle` names the style of a
 * block.
 */
export function findLabels(
  headings: readonly PlacedBlock[],
  blocks: readonly PlacedBlock[],
  { isByWeight, getStyle }: { isByWeight: (block: Block) => boolean; getStyle: (block: Block) => string },
): Set<Block> {
  const own = new Set(headings.map(({ block }) => block));
  const styles = new Map<string, { labels: Block[]; others: number }>();
  blocks.forEach(({ block, pageNo }, index) => {
    if (!own.has(block) || !isByWeight(block)) return;
    const style = styles.get(getStyle(block)) ?? { labels: [], others: 0 };
    styles.set(getStyle(block), style);
    const next = blocks[index + 1];
    if (next?.pageNo === pageNo && !own.has(next.block) && isValueBelow(block, next.block)) style.labels.push(block);
    else style.others += 1;
  });
  const areLabels = (count: number, others: number) => count >= minLabels && count > others;
  return new Set([
    ...[...styles.values()].flatMap(({ labels, others }) => (areLabels(labels.length, others) ? labels : [])),
    ...findBrokenSentences(blocks, getStyle).flatMap((lines) =>
      /\.$/.test(lines.at(-1)?.text ?? '') ? lines : lines.filter(isByWeight),
    ),
  ]);
}

function isValueBelow({ box, size }: Block, below: Block): boolean {
  const distance = (box.b - below.box.t) / size;
  const isNear = distance > -0.5 && distance < reach && below.box.l < box.r && below.box.r > box.l;
  return (
    isNear &&
    !below.mark &&
    !below.mono &&
    below.lines.length === 1 &&
    below.text.length + (below.text.match(wideSign)?.length ?? 0) < longestValue &&
    !/[.:;!?。：；！？؟۔।…]$/u.test(below.text)
  );
}

/** Blocks in one style that are lines of one sentence: the second begins in lower case just below the first, which ends nothing. */
function findBrokenSentences(blocks: readonly PlacedBlock[], getStyle: (block: Block) => string): Block[][] {
  return blocks.flatMap(({ block, pageNo }, index) => {
    const above = blocks[index - 1];
    if (!above || above.pageNo !== pageNo || !/^\p{Ll}/u.test(block.text) || block.mark) return [];
    const distance = (above.block.box.b - block.box.t) / block.size;
    const isOpen = !/[.:;!?]$/.test(above.block.text) && distance > -0.5 && distance < 1;
    return isOpen && getStyle(above.block) === getStyle(block) ? [[above.block, block]] : [];
  });
}
