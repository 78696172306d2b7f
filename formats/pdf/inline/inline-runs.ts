import type { Formatting } from '../../../document/model';
import { longDash } from '../engine/signs';
import { type InlineFormula, findInlineFormulas } from '../formula/inline-formulas';
import { type Box, holds, union } from '../geometry/box';
import type { PageLink, Rule } from '../geometry/page';
import type { Block } from '../layout/part';
import { omitMark } from '../lists/lists';
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
  /** No space separates this run from the one before it: punctuation after a raised number. */
  isAttached?: true;
  box: Box;
}

/** The rulings and links that determine styles, and the styles that are ignored because most of the document has them. */
export interface StyleContext {
  rules: readonly Rule[];
  links: readonly PageLink[];
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
const mathFont = /^(?:CM(?:MI|SY|EX|BSY)|MSBM|MSAM)|math/i;

/**
 * Splits a block's text into runs of one style each; undefined if the text is not simply the block's words joined. Words
 * without letters or digits, and math symbols, take the style of the preceding word.
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

/** A word in one style; a raised one without the punctuation at its end, which is in the style of the text. */
function listParts(styled: Styled): Styled[] {
  const end = styled.formatting.script === 'baseline' ? undefined : endMarks.exec(styled.text);
  if (!end || end.index === 0 || /^[([]/.test(styled.text)) return [styled];
  const formatting: Formatting = { ...styled.formatting, script: 'baseline' };
  return [
    { ...styled, text: styled.text.slice(0, end.index) },
    { ...styled, text: end[0], formatting, isAttached: true },
  ];
}

function listStyledWords({ lines, mark }: Block, context: StyleContext): Styled[] {
  const styled: Styled[] = [];
  for (const [index, line] of lines.entries()) {
    const rules = context.rules.filter(({ axis, at }) => axis === 'h' && Math.abs(at - line.baseline) < line.size);
    const formulas = findInlineFormulas(line, rules);
    for (const word of index === 0 ? line.words.slice(mark?.words ?? 0) : line.words) {
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
      const hyperlink = findLinkAt(word, context.links);
      const wordFormatting = buildFormatting(word, line, { ...context, rules });
      // An underlined link is marked as a link only.
      const formatting = hyperlink === null ? wordFormatting : { ...wordFormatting, underline: false };
      const styledWord: Styled = { word, text: word.text, line, formatting, hyperlink };
      const isMarked = styledWord.formatting.script !== 'baseline';
      if (last && (isParted || (!isMarked && isNeutral(word) && styledWord.hyperlink === null)))
        styled.push({
          ...styledWord,
          formatting: { ...last.formatting, script: 'baseline' },
          hyperlink: last.hyperlink,
        });
      else styled.push(...listParts(styledWord));
    }
  }
  return styled;
}

function isNeutral({ text, font }: Word): boolean {
  return !/[\p{L}\p{N}]/u.test(text) || mathFont.test(font.name);
}

function buildFormatting(word: Word, line: Line, { rules, usual }: StyleContext): Formatting {
  const { box } = word;
  const font = word.main ?? word.font;
  const isScript = word.raised && word.size < 0.85 * line.size;
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
    strikethrough: crosses(through),
    script: isScript ? script : 'baseline',
  };
}

/** The address of the link under the centre of a word. */
function findLinkAt({ box }: Word, links: readonly PageLink[]): string | null {
  return links.find((link) => holds(link.box, box))?.uri ?? null;
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
