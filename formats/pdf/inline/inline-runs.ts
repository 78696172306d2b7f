import type { Formatting } from '../../../document/model';
import { addAll } from '../../../model/lists/add-all';
import { longDash } from '../engine/signs';
import { type InlineFormula, findInlineFormulas } from '../formula/inline-formulas';
import { type Box, holds, union } from '../geometry/box';
import type { Font, PageLink, Rule } from '../geometry/page';
import type { Block } from '../layout/part';
import { type ListMark, omitMark } from '../lists/lists';
import { joinLines } from '../table/tables';
import { isAddressBreak, isSlashBreak } from '../text/hyphens';
import type { Line, Word } from '../text/line';

/** Consecutive words of a block in one style. */
export interface InlineRun {
  text: string;
  formatting: Formatting | null;
  hyperlink: string | null;
  /** The TeX of a run that is a formula; `text` then contains its signs. */
  tex?: string;
  /** No space separates this run from the one before it: the punctuation after a word, or the rest of a word. */
  isAttached?: true;
  box: Box;
}

/** The rulings, links and struck areas that determine styles, and the styles that are ignored because most of the document has them. */
export interface StyleContext {
  rules: readonly Rule[];
  links: readonly PageLink[];
  /** Areas of text that reviewers struck out. */
  struck?: readonly Box[] | undefined;
  usual: { bold: boolean; italic: boolean };
}

interface Styled {
  word: Word;
  /** The text of the word, or of the part of it with this style. */
  text: string;
  /** No space separates this part from the one before it. */
  isAttached?: true;
  line: Line;
  formatting: Formatting;
  hyperlink: string | null;
  formula?: InlineFormula;
}

const plain: Formatting = { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' };

/** Height of underlines and strikethrough rulings above the baseline, as shares of the type size. */
const under = { min: -0.3, max: 0.04 };
const through = { min: 0.15, max: 0.45 };
/** A mark over several lines, in type sizes, strikes out none of them: viewers draw one line through its middle. */
const tallest = 2.2;
const mathFont = /^(?:CM(?:MI|SY|EX|BSY)|MSBM|MSAM)|math/i;

/**
 * Splits a block's text into runs of one style each; undefined if the text is not simply the block's words joined. Words
 * without letters or digits, and math symbols, take the style of the preceding word, but the weight and slant of the next one if
 * these are their own.
 */
export function findInlineRuns(block: Block, context: StyleContext): InlineRun[] | undefined {
  const text = block.mark ? omitMark(block.text, block.mark) : block.text;
  const words = listStyledWords(block, context);
  const runs: Styled[][] = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last && isAlike(last[0] as Styled, word)) last.push(word);
    else runs.push([word]);
  }
  const runTexts = runs.map(toRun);
  const whole = runTexts.reduce(
    (before, run, index) => before + (index === 0 || run.isAttached ? '' : ' ') + run.text,
    '',
  );
  if (runTexts.length > 0 && whole === text) return runTexts;
  // The dash of a note is longer in the text than in the line.
  const [first, ...others] = runTexts;
  if (!first || !text.startsWith(`${longDash} `) || whole !== `-${text.slice(1)}`) return undefined;
  return [{ ...first, text: longDash + first.text.slice(1) }, ...others];
}

/** Punctuation at the end of a raised word, such as a comma after the number of a note: it is on the baseline. */
const endMarks = /[.,;:!?)\]]+$/;
/** Punctuation at the end of a link, and the share of a type size by which it is beyond the link. */
const linkEnd = { mark: /[.,;:!?)\]]$/, beyond: 0.12 };
const letter = /[\p{L}\p{N}\p{M}]/u;

/** The parts of a word, each in one style; `format` returns the style of letters in a font. */
function listParts(styled: Styled, link: PageLink | undefined, format: (font: Font) => Formatting): Styled[] {
  const { word, text, formatting } = styled;
  if (formatting.script !== 'baseline') {
    const end = endMarks.exec(text);
    if (!end || end.index === 0 || /^[([]/.test(text)) return [styled];
    return splitEnd(styled, end.index, { formatting: { ...formatting, script: 'baseline' } });
  }
  const parts = link ? omitBracket(splitStyles(styled, format), word, link) : splitStyles(styled, format);
  const last = parts.at(-1) as Styled;
  const isBeyond = link !== undefined && word.box.r - link.box.r > linkEnd.beyond * word.size;
  if (!isBeyond || !linkEnd.mark.test(text)) return parts;
  const end = last.text.length === 1 ? [{ ...last, hyperlink: null }] : splitEnd(last, -1, { hyperlink: null });
  return [...parts.slice(0, -1), ...end];
}

/** The parts of a linked word, without the link for a bracket before it. */
function omitBracket(parts: Styled[], word: Word, link: PageLink): Styled[] {
  const [first, ...others] = parts as [Styled, ...Styled[]];
  const isBeyond = link.box.l - word.box.l > linkEnd.beyond * word.size;
  if (!isBeyond || !/^[([]/.test(first.text)) return parts;
  if (first.text.length === 1) return [{ ...first, hyperlink: null }, ...others];
  const [bracket, rest] = splitEnd(first, 1, {}) as [Styled, Styled];
  return [{ ...bracket, hyperlink: null }, rest, ...others];
}

function splitEnd(styled: Styled, at: number, end: Partial<Styled>): Styled[] {
  return [
    { ...styled, text: styled.text.slice(0, at) },
    { ...styled, text: styled.text.slice(at), ...end, isAttached: true },
  ];
}

/**
 * Splits a word where its weight or slant changes before or after a sign that is no letter, such as a bracket. Signs in a style of
 * their own take that of the letters.
 */
function splitStyles(styled: Styled, format: (font: Font) => Formatting): Styled[] {
  const { word, text } = styled;
  const fonts = word.styles ?? [];
  const length = fonts.reduce((sum, part) => sum + part.length, 0);
  if (fonts.length < 2 || length !== text.length || fonts.some(({ font }) => mathFont.test(font.name))) return [styled];
  const parts: Styled[] = [];
  let [from, to, isMixed] = [0, 0, false];
  for (const part of fonts) {
    to += part.length;
    const isWithin = to < length && letter.test(text[to - 1] as string) && letter.test(text[to] as string);
    isMixed ||= isWithin;
    if (isWithin) continue;
    const own = isMixed ? styled.formatting : format(part.font);
    const formatting = isPlain(own) || letter.test(text.slice(from, to)) ? own : styled.formatting;
    parts.push({ ...styled, text: text.slice(from, to), formatting, ...(from > 0 ? { isAttached: true } : {}) });
    [from, isMixed] = [to, false];
  }
  return parts;
}

/** Splits the parts of a word at raised and lowered letters. */
function splitScripts(parts: readonly Styled[], { scripts = [], text }: Word): readonly Styled[] {
  const length = scripts.reduce((sum, part) => sum + part.length, 0);
  if (scripts.length < 2 || length !== text.length) return parts;
  const split: Styled[] = [];
  let start = 0;
  for (const part of parts) {
    let from = 0;
    let end = 0;
    for (const { length: letters, script } of scripts) {
      end += letters;
      const to = Math.min(end - start, part.text.length);
      if (to <= from) continue;
      const formatting = script === 'baseline' ? part.formatting : { ...part.formatting, script };
      const attached = from > 0 ? { isAttached: true as const } : {};
      split.push({ ...part, text: part.text.slice(from, to), formatting, ...attached });
      from = to;
    }
    start += part.text.length;
  }
  return split;
}

/** The words of an item after its mark, which may touch the first one. */
function listWordsAfter({ marker, words: count }: ListMark, words: readonly Word[]): readonly Word[] {
  const [first, ...others] = words;
  if (count > 0 || marker === '' || !first?.text.startsWith(marker)) return words.slice(count);
  const { styles: _styles, scripts: _scripts, ...word } = first;
  return [{ ...word, text: first.text.slice(marker.length) }, ...others];
}

function listStyledWords({ lines, mark }: Block, context: StyleContext): Styled[] {
  const styled: Styled[] = [];
  for (const [index, line] of lines.entries()) {
    const rules = context.rules.filter(({ axis, at }) => axis === 'h' && Math.abs(at - line.baseline) < line.size);
    const formulas = findInlineFormulas(line, rules);
    const onLine = { ...context, rules };
    for (const word of index === 0 && mark ? listWordsAfter(mark, line.words) : line.words) {
      const formula = formulas.find(({ words }) => words.has(word));
      if (formula) {
        styled.push({ word, text: word.text, line, formatting: plain, hyperlink: null, formula });
        continue;
      }
      const last = styled.at(-1);
      const isParted =
        last !== undefined &&
        last.line !== line &&
        (/[-\u2010\u2014]$/.test(last.word.text) ||
          isAddressBreak(last.word.text, word.text) ||
          isSlashBreak(last.word.text, word.text));
      const link = findLinkAt(word, context.links);
      // An underlined link is marked as a link only.
      const underline = link ? { underline: false } : {};
      const formatting = { ...buildFormatting(word, word.main ?? word.font, line, onLine), ...underline };
      const styledWord: Styled = { word, text: word.text, line, formatting, hyperlink: link?.uri ?? null };
      const isMarked = formatting.script !== 'baseline';
      const format = (font: Font) => ({ ...buildFormatting(word, font, line, onLine), ...underline });
      let parts = [styledWord];
      if (last && (isParted || (!isMarked && !link && isNeutral(word))))
        parts = [
          inheritStyle(styledWord, last, {
            isOwnFont: !isParted && hasStyleOfNext(word, line),
            isInLink: isParted || isBeforeLink(word, line, last.hyperlink, context.links),
          }),
        ];
      else if (isMarked || link || word.styles) parts = listParts(styledWord, link, format);
      addAll(styled, splitScripts(parts, word));
    }
  }
  return styled;
}

/** True if the next word of the line links to the same address: a sign between them belongs to the link, one after it does not. */
function isBeforeLink(word: Word, { words }: Line, uri: string | null, links: readonly PageLink[]): boolean {
  if (uri === null) return true;
  const next = words[words.indexOf(word) + 1];
  return next !== undefined && findLinkAt(next, links)?.uri === uri;
}

/** The word in the style of the `last` one, but in its own weight and slant if `isOwnFont`, and in its link if `isInLink`. */
function inheritStyle(
  styled: Styled,
  last: Styled,
  { isOwnFont, isInLink }: { isOwnFont: boolean; isInLink: boolean },
): Styled {
  const { bold, italic } = isOwnFont ? styled.formatting : last.formatting;
  return {
    ...styled,
    formatting: { ...last.formatting, bold, italic, script: 'baseline' },
    hyperlink: isInLink ? last.hyperlink : null,
  };
}

function isNeutral({ text, font }: Word): boolean {
  return !/[\p{L}\p{N}]/u.test(text) || mathFont.test(font.name);
}

/** True if the next word of the line has the same weight and slant. */
function hasStyleOfNext(word: Word, { words }: Line): boolean {
  const next = words[words.indexOf(word) + 1];
  if (!next) return false;
  const [own, other] = [word.main ?? word.font, next.main ?? next.font];
  return own.bold === other.bold && own.italic === other.italic;
}

/** True for the mark of a note that is clearly raised, though hardly smaller than its line. */
function isNoteMark({ text, box, size, lowered }: Word, line: Line): boolean {
  const raised = box.b + 0.22 * size - line.baseline;
  return lowered !== true && raised > 0.2 * line.size && /^(?:\d{1,2}|[*†‡§]{1,2})$/.test(text);
}

function buildFormatting(word: Word, font: Font, line: Line, { rules, struck = [], usual }: StyleContext): Formatting {
  const { box } = word;
  const isScript = word.raised && (word.size < 0.85 * line.size || isNoteMark(word, line));
  const script = word.lowered ? 'sub' : 'super';
  const crosses = ({ min, max }: typeof under) =>
    rules.some(
      ({ at, from, to }) =>
        at - line.baseline > min * line.size &&
        at - line.baseline < max * line.size &&
        from > line.box.l - 2 &&
        to < line.box.r + 2 &&
        Math.min(to, box.r) - Math.max(from, box.l) > 0.8 * (box.r - box.l),
    );
  return {
    bold: font.bold && !usual.bold,
    italic: font.italic && !usual.italic && !mathFont.test(font.name),
    underline: crosses(under),
    strikethrough: crosses(through) || struck.some((area) => area.t - area.b < tallest * line.size && holds(area, box)),
    script: isScript ? script : 'baseline',
  };
}

/** The link under the centre of a word. */
function findLinkAt({ box }: Word, links: readonly PageLink[]): PageLink | undefined {
  return links.find((link) => holds(link.box, box));
}

function isAlike(a: Styled, b: Styled): boolean {
  const [left, other] = [a.formatting, b.formatting];
  return (
    a.formula === b.formula &&
    a.hyperlink === b.hyperlink &&
    left.bold === other.bold &&
    left.italic === other.italic &&
    left.underline === other.underline &&
    left.strikethrough === other.strikethrough &&
    left.script === other.script
  );
}

function toRun(words: readonly Styled[]): InlineRun {
  const { formatting, hyperlink, formula } = words[0] as Styled;
  const texts = new Map<Line, string[]>();
  for (const { line, text, isAttached } of words) {
    const lineTexts = texts.get(line) ?? [];
    if (isAttached && lineTexts.length > 0) lineTexts.push(`${lineTexts.pop()}${text}`);
    else lineTexts.push(text);
    texts.set(line, lineTexts);
  }
  return {
    text: joinLines([...texts.values()].map((line) => line.join(' '))),
    formatting: isPlain(formatting) ? null : formatting,
    hyperlink,
    ...(formula ? { tex: formula.tex } : {}),
    ...(words[0]?.isAttached ? { isAttached: true } : {}),
    box: union(words.map(({ word }) => word.box)),
  };
}

function isPlain({ bold, italic, underline, strikethrough, script }: Formatting): boolean {
  return !bold && !italic && !underline && !strikethrough && script === 'baseline';
}

/** A style of more than this share of the text is ignored. */
const maxStyled = 0.75;

/** The styles that nearly all of the document's text has. */
export function findUsualStyle(blocks: readonly Block[]): StyleContext['usual'] {
  const letters = { all: 0, bold: 0, italic: 0 };
  for (const { lines } of blocks) {
    for (const { text, bold, italic } of lines) {
      letters.all += text.length;
      if (bold) letters.bold += text.length;
      if (italic) letters.italic += text.length;
    }
  }
  return { bold: letters.bold > maxStyled * letters.all, italic: letters.italic > maxStyled * letters.all };
}
