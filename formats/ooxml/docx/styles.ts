import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { readToggle } from '../package';

/** The kind of a paragraph by its style. Level 1 is the highest heading; level 0 is a heading above the levels. */
export type ParagraphKind = { kind: 'title' } | { kind: 'heading'; level: number } | { kind: 'text' };

/** The numbering of a paragraph. Undefined parts are inherited or default. */
export interface NumberingRef {
  numId: string;
  level: number | undefined;
  /** The style that sets the numbering, unless the paragraph does. */
  styleId?: string;
}

interface Style {
  id: string;
  name: string;
  basedOn: string | undefined;
  paragraph: XmlElement | undefined;
  run: XmlElement | undefined;
}

/** Resolves styles and direct properties of paragraphs. */
export interface Styles {
  getKind(paragraph: XmlElement): ParagraphKind;
  getNumbering(paragraph: XmlElement): NumberingRef | undefined;
  /** True if the style chain makes the whole paragraph bold. */
  isBold(paragraph: XmlElement): boolean;
  isCode(paragraph: XmlElement): boolean;
  /** Returns the typeface of a run: from the run, its character style, or the paragraph style. */
  findFont(run: XmlElement, paragraph: XmlElement): string | undefined;
}

const codeStyle =
  /^(?:source ?code|code ?(?:block|listing)?|html preformatted|preformatted(?: text)?|macro text|plain code|verbatim)$/i;

/** Reads `word/styles.xml`. Without it every paragraph is plain text. */
export function readStyles(root: XmlElement | undefined): Styles {
  const styles = new Map<string, Style>();
  let defaultId: string | undefined;
  for (const element of listElements(root, 'w:style')) {
    const id = element.attributes['w:styleId'] ?? '';
    styles.set(id, {
      id,
      name: findChild(element, 'w:name')?.attributes['w:val'] ?? '',
      basedOn: findChild(element, 'w:basedOn')?.attributes['w:val'],
      paragraph: findChild(element, 'w:pPr'),
      run: findChild(element, 'w:rPr'),
    });
    const isDefault = ['1', 'true', 'on'].includes(element.attributes['w:default'] ?? '');
    if (isDefault && element.attributes['w:type'] === 'paragraph') defaultId = id;
  }
  const chains = new Map<string | undefined, Style[]>();
  /** Returns the style and its ancestors, nearest first; stops at a cycle. */
  function getChain(id: string | undefined): Style[] {
    let chain = chains.get(id);
    if (chain !== undefined) return chain;
    chain = [];
    for (let style = styles.get(id ?? ''); style !== undefined && !chain.includes(style);) {
      chain.push(style);
      style = style.basedOn === undefined ? undefined : styles.get(style.basedOn);
    }
    chains.set(id, chain);
    return chain;
  }
  const readStyle = (paragraph: XmlElement) =>
    findChild(findChild(paragraph, 'w:pPr'), 'w:pStyle')?.attributes['w:val'] ?? defaultId;
  const kinds = new Map<string | undefined, ParagraphKind>();

  return {
    getKind(paragraph) {
      const id = readStyle(paragraph);
      let kind = kinds.get(id);
      if (kind === undefined) {
        kind = findKindByStyle(getChain(id), id);
        kinds.set(id, kind);
      }
      if (kind.kind !== 'text') return kind;
      const direct = readOutlineLevel(findChild(paragraph, 'w:pPr'));
      return direct === undefined ? kind : { kind: 'heading', level: direct };
    },
    getNumbering(paragraph) {
      const direct = findNumbering(findChild(paragraph, 'w:pPr'));
      if (direct !== undefined) return direct;
      for (const style of getChain(readStyle(paragraph))) {
        const inherited = findNumbering(style.paragraph);
        if (inherited !== undefined) return { ...inherited, styleId: style.id };
      }
      return undefined;
    },
    isBold(paragraph) {
      for (const style of getChain(readStyle(paragraph))) {
        const bold = readToggle(style.run, 'w:b');
        if (bold !== undefined) return bold;
      }
      return false;
    },
    isCode: (paragraph) =>
      getChain(readStyle(paragraph)).some(({ id, name }) => codeStyle.test(name) || codeStyle.test(id)),
    findFont(run, paragraph) {
      const ownProperties = findChild(run, 'w:rPr');
      const character = findChild(ownProperties, 'w:rStyle')?.attributes['w:val'];
      const sources = [
        ownProperties,
        ...getChain(character ?? '-').map((style) => style.run),
        ...getChain(readStyle(paragraph)).map((style) => style.run),
      ];
      for (const properties of sources) {
        const font = findChild(properties, 'w:rFonts')?.attributes['w:ascii'];
        if (font !== undefined) return font;
      }
      return undefined;
    },
  };
}

/**
 * Built-in styles keep their English names in every language; only their ids are translated. A style is a heading by its own
 * outline level, by its name, or by those of its ancestors. Any other name with `heading` is a heading without a level, except
 * names that end with a number, such as `My heading 2`, which are text.
 */
function findKindByStyle(chain: Style[], id: string | undefined): ParagraphKind {
  const [ownStyle] = chain;
  if (id === 'Title' || ownStyle?.name.toLowerCase() === 'title') return { kind: 'title' };
  const outline = readOutlineLevel(ownStyle?.paragraph);
  if (outline !== undefined) return { kind: 'heading', level: outline };
  for (const style of chain) {
    const named = findHeadingByName(style.name) ?? findHeadingByName(style.id);
    if (named !== undefined) return named;
  }
  const inherited = chain.map((style) => readOutlineLevel(style.paragraph)).find((level) => level !== undefined);
  return inherited === undefined ? { kind: 'text' } : { kind: 'heading', level: inherited };
}

function findHeadingByName(name: string): ParagraphKind | undefined {
  if (!/heading/i.test(name)) return undefined;
  const parts = name
    .split(/(\d+)/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length !== 2) return { kind: 'heading', level: 0 };
  const digits = parts.find((part) => /^\d+$/.test(part));
  const isNumbered = parts.some((part) => part.toLowerCase() === 'heading') && digits !== undefined;
  return isNumbered ? { kind: 'heading', level: Math.min(Math.max(Number(digits), 1), 100) } : { kind: 'text' };
}

/** `w:outlineLvl` starts at 0; 9 means body text. */
function readOutlineLevel(properties: XmlElement | undefined): number | undefined {
  const value = Number(findChild(properties, 'w:outlineLvl')?.attributes['w:val'] ?? '9');
  return value >= 0 && value < 9 ? value + 1 : undefined;
}

function findNumbering(properties: XmlElement | undefined): NumberingRef | undefined {
  const numbering = findChild(properties, 'w:numPr');
  const numId = findChild(numbering, 'w:numId')?.attributes['w:val'];
  if (numId === undefined) return undefined;
  const level = findChild(numbering, 'w:ilvl')?.attributes['w:val'];
  return { numId, level: level === undefined ? undefined : Math.min(Math.max(Number(level) || 0, 0), 8) };
}
