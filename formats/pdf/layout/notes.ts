import { isRelation } from '../formula/mathematics';
import { measureOverlapX } from '../geometry/box';
import type { Block, Part } from './part';

const noteMark = /^(?:\d{1,3}\)?|[*†‡§]+)$/;

/** Finds table notes and footnotes: small type, below everything else in its column, that starts with a number or symbol. */
export function findFootnotes(parts: readonly Part[], bodySize: number, pageHeight: number): Set<Block> {
  const blocks = parts.flatMap((part) => (part.kind === 'block' ? [part.block] : []));
  const isSmall = (block: Block) => block.size <= 0.93 * bodySize;
  const notes = new Set<Block>();
  for (const block of blocks) {
    if (block.label === 'footnote') notes.add(block);
    if (block.label !== undefined) continue;
    const first = block.lines[0]?.words[0];
    if (!first || !isSmall(block) || block.box.t > 0.55 * pageHeight) continue;
    const isMarked = noteMark.test(first.text) && (first.raised || block.lines[0]!.words.length > 1);
    const isLowest = parts.every(
      (other) =>
        other.box.t > block.box.b ||
        measureOverlapX(other.box, block.box) <= 0 ||
        // A logo at the bottom edge of the page.
        (other.kind === 'picture' && other.box.t < 0.1 * pageHeight) ||
        (other.kind === 'block' && isSmall(other.block)),
    );
    if (isMarked && isLowest) notes.add(block);
  }
  for (const block of listTableNotes(parts)) if (isSmall(block)) notes.add(block);
  return notes;
}

/** The word before a note or source below a table. */
export const noteWord = /^(?:※|注|(?:notes?|sources?|quellen?|anm(?:erkung)?|주|자료|出典|資料)\s*[:：.])/i;

/** Text below a table that labels itself a note or source, and further such notes below it. */
function listTableNotes(parts: readonly Part[]): Block[] {
  const blocks: Block[] = [];
  let above: Part | undefined;
  for (const part of parts) {
    const isNote = part.kind === 'block' && noteWord.test(part.block.text) && !part.block.bold;
    const isBelow = isNote && above !== undefined && above.box.b - part.box.t < 2 * part.block.size;
    if (isNote && isBelow && measureOverlapX((above as Part).box, part.box) > 0) blocks.push(part.block);
    above = part.kind === 'table' || (isNote && isBelow) ? part : undefined;
  }
  return blocks;
}

/** True for a displayed formula: a relation between short names, in mathematical fonts. */
export function isFormula(block: Block): boolean {
  if (block.label !== undefined) return block.label === 'formula';
  if (block.lines.length > 4 || block.mark || block.mono) return false;
  return (
    block.lines[0]?.isFormula === true ||
    isRelation(
      block.text,
      block.lines.flatMap((line) => line.words),
    )
  );
}
