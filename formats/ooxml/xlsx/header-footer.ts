import type { DocumentBuilder } from '../../../document/builder';
import type { Provenance } from '../../../document/model';

/** Headers and footers of a printed sheet, in the codes of the format. */
export interface SheetFurniture {
  headers: readonly string[];
  footers: readonly string[];
}

/** Adds the texts of headers and footers as furniture, each text once. Page numbers and print times are skipped. */
export function addFurniture(
  builder: DocumentBuilder,
  { headers, footers }: SheetFurniture,
  { parent, sheet, prov }: { parent: ReturnType<DocumentBuilder['group']>; sheet: string; prov: Provenance[] },
): void {
  for (const [label, codes] of [
    ['page_header', headers],
    ['page_footer', footers],
  ] as const) {
    const texts = new Set(codes.flatMap((code) => listFurnitureTexts(code, sheet)));
    for (const text of texts) builder.text(label, text, { parent, layer: 'furniture', prov });
  }
}

/** Returns the left, middle and right parts of a header as texts; codes as in ECMA-376 part 1, 18.3.1.46. */
export function listFurnitureTexts(code: string, sheet: string): string[] {
  return code
    .split(/(?=&[LCR])/i)
    .map((part) => decodePart(part.replace(/^&[LCR]/i, ''), sheet))
    .filter((text) => /[\p{L}\p{N}]/u.test(text));
}

/** Font (`&"Arial,Bold"`), size (`&12`), colour (`&K00FF00`), an ampersand (`&&`), or a field or style (`&A`, `&B`). */
const furnitureCode = /&"[^"]*"|&\d+ ?|&K(?:[0-9a-f]{6}|\d\d[+-]\d{3})|&&|&[a-z]/gi;

/** Replaces the codes by the ampersand or sheet name that they stand for; others have no text. */
function decodePart(part: string, sheet: string): string {
  const text = part.replaceAll(furnitureCode, (code) => {
    if (code === '&&') return '&';
    return /^&A$/i.test(code) ? sheet : '';
  });
  return text.trim();
}
