import type { Block, PlacedBlock } from './part';

/** Longer blocks are paragraphs, whatever their style. */
export const longest = { characters: 200, lines: 4 };

/** A section number at the start of a line, with the word before it. Some of its levels may be letters: 2.1.S.1.3. */
export const numbering =
  /^(?:(?:chapter|kapitel|part|section|appendix|annex)\s+)?(\d{1,2}(?:\.(?:\d{1,2}|[A-Z](?=[.\s]))){0,6})\.?(?=\s)/i;

/** A section whose title is a year. */
export const numberedYear = /^\d{1,2}(?:\.\d{1,2}){1,4}\.?\s\d{4}$/;
/** Sections whose heading may be as small as their text, which is smaller than that of the document. */
export const knownTitle =
  /^(?:references|bibliography|literature cited|notes|abstract|summary|acknowledge?ments?|appendix|contents|literatur|literaturverzeichnis|danksagung|zusammenfassung|anhang|références|bibliographie|résumé|remerciements|bibliografía|referencias|resumen)$/i;
/** A line between the parties of a case or the names of a title continues them. */
export const connective = /^(?:and|or|between|und|zwischen|et|entre|y|v\.|vs\.?)(?:\s|$)/;

const monthName =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|februar|märz|mai|juni|juli|okt|dez|janvier|février|mars|avril|juin|juillet|août|octobre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|octubre|diciembre)\\p{Ll}*\\.?';
const day = '\\d{1,2}(?:st|nd|rd|th|er|\\.)?';
const anyDate = `(?:${monthName},? \\d{4}|${monthName} ${day}, ?\\d{4}|${day} (?:de )?${monthName}(?: de)?,? \\d{4}|\\d{1,4}[./-]\\d{1,2}[./-]\\d{1,4})`;
const date = new RegExp(`^${anyDate}$`, 'iu');
/** The place and date of a letter: "Cekcyn, dnia 30.01.2006 r." */
const placeAndDate = new RegExp(`^\\p{Lu}[\\p{L} .'-]{1,30}, ?(?:\\p{Ll}{1,4} )?${anyDate}(?: (?:r|г)\\.?)?$`, 'iu');
/** Options of commands begin with two dashes. */
const option = /^\[?--[\w[]/;
const webAddress = /^(?:https?:\/\/|www\.)\S+$/i;
const year = String.raw`(?:1[5-9]|20)\d\d`;
/** A telephone or fax number after its name. Two years are none, as in "Tel Aviv 1909-1948". */
const telephone = new RegExp(
  String.raw`(?:^|\s)(?:tel|fax|phone|telephone|telefon|téléphone|тел|факс)\.?[:/ ].{0,12}(?<!\d)(?!${year}\s?[-/]\s?${year}(?!\d))\d[\d ()/-]{5,}`,
  'i',
);

/** True for text that is a date only. */
export function isDate(text: string): boolean {
  return date.test(text);
}

/** True for a date, or for text that ends in an e-mail address, in any type size: such lines follow titles. */
export function isDateOrAddress(text: string): boolean {
  return isDate(text) || isAddress(text);
}

/** True for a web address or a line with a telephone number, in any type size. */
export function isContact(text: string): boolean {
  return webAddress.test(text) || telephone.test(text);
}

/**
 * True for the place and date of a letter, or an option of a command. In large type, such texts are titles: "Annual Report, March
 * 2024", "--verbose".
 */
export function isDatelineOrOption(text: string): boolean {
  return placeAndDate.test(text) || option.test(text);
}

/** True for text that ends in an e-mail address. */
export function isAddress(text: string): boolean {
  return /(?:^|\s)[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(text);
}

/** True for the number or date of an edition, which follows the names below a title: "Version 2.08, 2014/07/11". */
export function isEdition(text: string): boolean {
  return text.length <= 40 && /^(?:(?:version|release|revision|v\.?)\s?\d|\d{4}[/-]\d{1,2}[/-]\d{1,2}\s)/i.test(text);
}

/**
 * True for a section number in bold before a title in a script without spaces, whose bold type may be another font, or before
 * monospaced names and bold words.
 */
export function isBoldSection({ text, lines }: Block): boolean {
  const [number, second, ...rest] = lines[0]?.words ?? [];
  if (lines.length > 1 || text.length > 60 || !number?.font.bold || !second) return false;
  return (
    /^\d{1,2}(?:\.\d{1,2}){1,4}\.?$/.test(number.text) &&
    (/^[\u3040-\u30ff\u3400-\u9fff]/.test(second.text) ||
      (rest.at(-1)?.font.bold === true && [second, ...rest].every(({ font }) => font.bold || font.mono))) &&
    !/[。、：:.]$/.test(text)
  );
}

/** True for a section number of at least two levels, on a single line that does not end a sentence. */
export function isSectionNumber({ text, lines }: Block): boolean {
  return (
    /^\d{1,2}(?:\.(?:\d{1,2}|[A-Z](?=[.\s]))){1,6}\.?\s+\p{Lu}/u.test(text) && lines.length === 1 && !/[.:]$/.test(text)
  );
}

/** True for a section number of at least three levels before a few words, most of them capitalized. */
export function isTitled(text: string): boolean {
  const words = text.split(' ').slice(1);
  const long = words.filter((word) => word.length > 4 && /^\p{L}/u.test(word));
  return (
    /^\d{1,2}(?:\.\d{1,2}){2,4}/.test(text) &&
    words.length <= 12 &&
    long.length > 1 &&
    long.filter((word) => /^\p{Lu}/u.test(word)).length >= 0.75 * long.length
  );
}

/** True for a heading without a number, a well-known title or large type: only its weight tells it from text. */
export function isByWeight({ text, size, label, bold }: Block, body: number): boolean {
  return label === undefined && bold && size < 1.12 * body && !numbering.test(text) && !knownTitle.test(text);
}

/** True for a heading that only its type size, slightly larger than the text, makes one. */
export function isBySize({ size, label, bold }: Block, body: number): boolean {
  return label === undefined && !bold && size < 1.4 * body;
}

/** True for a letter before capitals, as in "C. SLEEP SCHEDULE". */
export function isLettered({ text, mark }: Block): boolean {
  return mark !== undefined && /^[A-Z]\.$/.test(mark.marker) && !/\p{Ll}/u.test(text);
}

/** True for a section number of two levels and more before a word, as in "4.1.2 Version 3.0 2021-10-17". */
export function startsSection(text: string): boolean {
  return /^\d{1,2}(?:\.\d{1,2}){1,5}\.?\s+\p{L}/u.test(text);
}

/** Shorter sentences in quotation marks are titles, in words. */
const minQuoted = 7;

/**
 * True for a quotation, as between two paragraphs of a magazine: a sentence in quotation marks, or several lines that begin or end
 * one. Without a full stop, it is italic and has no capitals as titles do. Bold or numbered texts are headings, such as questions.
 */
export function isQuotation({ text, lines, bold, italic, mark }: Block): boolean {
  if (bold || mark?.enumerated) return false;
  const isSentence = /[.!?,].$/.test(text);
  const start = text.search(/["“”„«»]/);
  if (start !== 0) return start === text.length - 1 && isSentence;
  const end = text.slice(1).search(/["“”«»]/) + 1;
  if (end === 0) return lines.length > 1;
  if (end !== text.length - 1 || text.split(' ').length < minQuoted) return false;
  return isSentence || (italic && !/\s\p{Lu}/u.test(text));
}

/** A line of an algorithm or program, whose keywords are bold. */
export const statement =
  /^(?:begin|do|else|elsif|end|for|function|if|loop|procedure|read|repeat|return|then|until|var|while|write)(?:\s|$)/;

/** Settings of several words begin in lower case; "The case p = 2" is a heading. */
const codeLine =
  /^#\s?(?:include|define|ifn?def|endif|pragma)\b|[;{}\\]$|^(?:[^\s=]+|\p{Ll}[^\s=]*(?: [^\s=]+){1,3}) = [^=]+$/u;
/** From the root or a home folder, to a file with an extension, or in lower case; "Input/Output" is a heading. */
const filePath = /^(?:[.~]*\/[\w./-]+|[\w.-]+\/[\w./-]*\.[A-Za-z]\w*|[a-z][\w.-]*(?:\/[a-z][\w.-]*)+\/?)$/;

/** True for a line of a program, of its settings, or a path: "#include <math.h>", "vfs objects = snapper". */
export function isCode(text: string): boolean {
  return codeLine.test(text) || filePath.test(text);
}

/** Fewer terms above indented text are headings. */
const minTerms = 2;

/** The bold terms of a list of definitions: the text directly below each is indented as a whole. */
export function findTerms(blocks: readonly PlacedBlock[], body: number): Set<Block> {
  const terms = blocks.flatMap(({ block, pageNo }, index) => {
    const next = blocks[index + 1];
    if (!next || next.pageNo !== pageNo || !block.bold || next.block.bold) return [];
    if (block.label !== undefined || block.size >= 1.12 * body || numbering.test(block.text)) return [];
    // The sections of manual pages are in capitals, above indented text.
    if (!/\p{Ll}/u.test(block.text)) return [];
    return isIndentedBelow(block, next.block) ? [block] : [];
  });
  return new Set(terms.length >= minTerms ? terms : []);
}

/** Signs at the start of a command or of its output. */
const prompt = /^[$>#%+\\]/;

/**
 * The monospaced terms of a list of definitions, such as options in a manual: single lines, each directly above text that is
 * indented as a whole, or beside its first line. They are not code.
 */
export function findMonospacedTerms(blocks: readonly PlacedBlock[]): Set<Block> {
  const terms = blocks.flatMap(({ block, pageNo }, index) => {
    const next = blocks[index + 1];
    const [line, first] = [block.lines[0], next?.block.lines[0]];
    if (!block.mono || block.lines.length !== 1 || !line || !first || next?.pageNo !== pageNo) return [];
    if (next.block.mono || next.block.mark || first.words.length < 3 || prompt.test(block.text)) return [];
    const isBeside = Math.abs(line.baseline - first.baseline) < 1 && first.box.l > line.box.r;
    return isBeside || isIndentedBelow(block, next.block) ? [block] : [];
  });
  return new Set(terms.length >= minTerms ? terms : []);
}

/** True for text directly below, indented as a whole. */
function isIndentedBelow(block: Block, below: Block): boolean {
  const [last, first] = [block.lines.at(-1), below.lines[0]];
  if (!last || !first) return false;
  const indent = (below.box.l - block.box.l) / block.size;
  const distance = (last.baseline - first.baseline) / block.size;
  return indent > 1 && indent < 6 && distance > 0 && distance < 1.35;
}

/** True for a text that is short enough for a heading. */
export function isShort(block: Block): boolean {
  return block.text.length <= longest.characters && block.lines.length <= longest.lines;
}
