import { overlapX } from './box';
import type { Part } from './layout';
import type { Block } from './paragraphs';

const noteMark = /^(?:\d{1,3}\)?|[*†‡§]+)$/;

/** Footnotes among the parts of a page: small type below everything else of their column, begun by a number or a sign. */
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
        overlapX(other.box, block.box) <= 0 ||
        // A logo at the edge of the page.
        (other.kind === 'picture' && other.box.t < 0.1 * pageHeight) ||
        (other.kind === 'block' && isSmall(other.block)),
    );
    if (isMarked && isLowest) notes.add(block);
  }
  for (const block of tableNotes(parts)) if (isSmall(block)) notes.add(block);
  return notes;
}

const noteWord = /^(?:※|注|(?:notes?|sources?|quellen?|anm(?:erkung)?|주|자료|出典|資料)\s*[:：.])/i;

/** What stands below a table and names itself a note on it or its source, and more such notes below that. */
function tableNotes(parts: readonly Part[]): Block[] {
  const found: Block[] = [];
  let above: Part | undefined;
  for (const part of parts) {
    const isNote = part.kind === 'block' && noteWord.test(part.block.text) && !part.block.bold;
    const isBelow = isNote && above !== undefined && above.box.b - part.box.t < 2 * part.block.size;
    if (isNote && isBelow && overlapX((above as Part).box, part.box) > 0) found.push(part.block);
    above = part.kind === 'table' || (isNote && isBelow) ? part : undefined;
  }
  return found;
}

const mathFont = /^(?:CMMI|CMSY|CMEX|MSAM|MSBM|MTMI|MTSY|MTEX)|math|stix|euclid|^symbol/i;
const functionName =
  /^(?:sin|cos|tan|log|ln|exp|max|min|lim|det|arg|mod|sup|inf|var|cov|rank|diag|sign|argmax|argmin|where|and|for|if)$/i;

/** A displayed formula: a relation between short names, in fonts of mathematics. */
export function isFormula(block: Block): boolean {
  if (block.label !== undefined) return block.label === 'formula';
  if (block.lines.length > 4 || block.text.length > 200 || block.mark || block.mono) return false;
  if (!/[=<>≤≥≈≡∈∑∫∏→∝≠]/.test(block.text)) return false;
  const words = block.lines.flatMap((line) => line.words);
  if (!words.some(({ font }) => mathFont.test(font.name))) return false;
  const plain = block.text.match(/\p{L}{4,}/gu) ?? [];
  return plain.every((word) => functionName.test(word));
}
