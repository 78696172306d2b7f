import type { Formatting } from '../../document/model';
import { findChild, listElements, type XmlElement } from '../xml/xml';
import type { OdfPackage } from './package';

/** The marker of one list level. */
export interface ListLevel {
  isNumbered: boolean;
  start: number;
  suffix: string;
}

/** The styles that affect the text. */
export interface OdfStyles {
  /** Returns the formatting of a text style, applied to the surrounding formatting; null for plain text. */
  formatting(style: string | undefined, around: Formatting | null): Formatting | null;
  /** Returns the names of the paragraph style and its ancestors. */
  lineage(style: string | undefined): ReadonlySet<string>;
  /** Level 1 is the outermost. Returns undefined for an unknown list style. */
  listLevel(style: string | undefined, level: number): ListLevel | undefined;
  /** Finds a style of a family by name. */
  find(family: string, name: string | undefined): XmlElement | undefined;
}

const plain: Formatting = { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' };
const maxAncestors = 20;
/** Numeric font weights run from 100 to 900; 700 is bold. */
const minBoldWeight = 600;

/** Indexes the styles of both parts. Automatic styles of the content take precedence over named ones. */
export function readOdfStyles({ content, styles }: Pick<OdfPackage, 'content' | 'styles'>): OdfStyles {
  const byName = new Map<string, XmlElement>();
  const lists = new Map<string, XmlElement>();
  for (const root of [styles, content]) {
    for (const section of ['office:styles', 'office:automatic-styles']) {
      for (const element of listElements(findChild(root, section))) {
        const name = element.attributes['style:name'] ?? '';
        if (element.name === 'style:style') byName.set(`${element.attributes['style:family']}/${name}`, element);
        if (element.name === 'text:list-style') lists.set(name, element);
      }
    }
  }
  const find = (family: string, name: string | undefined) => byName.get(`${family}/${name}`);
  /** Returns the style and its ancestors, outermost first. */
  function getChain(family: string, name: string | undefined): XmlElement[] {
    const elements: XmlElement[] = [];
    for (let style = find(family, name); style && elements.length < maxAncestors;) {
      elements.unshift(style);
      style = find(family, style.attributes['style:parent-style-name']);
    }
    return elements;
  }
  const formattings = new Map<string, Partial<Formatting>>();
  function readFormatting(name: string): Partial<Formatting> {
    const cached = formattings.get(name);
    if (cached !== undefined) return cached;
    const formatting: Partial<Formatting> = {};
    for (const style of getChain('text', name))
      Object.assign(formatting, readOwnFormatting(findChild(style, 'style:text-properties')));
    formattings.set(name, formatting);
    return formatting;
  }
  return {
    find,
    formatting(style, around) {
      if (style === undefined) return around;
      const formatting = { ...(around ?? plain), ...readFormatting(style) };
      return (Object.keys(plain) as (keyof Formatting)[]).some((key) => formatting[key] !== plain[key])
        ? formatting
        : null;
    },
    lineage(style) {
      const ancestors = getChain('paragraph', style);
      const names = ancestors.flatMap(({ attributes }) => [attributes['style:name'], attributes['style:display-name']]);
      return new Set(
        [style, ...names, ancestors[0]?.attributes['style:parent-style-name']].filter((name) => name !== undefined),
      );
    },
    listLevel(style, level) {
      const list = style === undefined ? undefined : lists.get(style);
      return readListLevel(listElements(list).find(({ attributes }) => attributes['text:level'] === String(level)));
    },
  };
}

function readListLevel(element: XmlElement | undefined): ReturnType<OdfStyles['listLevel']> {
  if (element === undefined) return undefined;
  return {
    isNumbered: element.name === 'text:list-level-style-number',
    start: Math.max(1, Number(element.attributes['text:start-value'] ?? 1) || 1),
    suffix: element.attributes['style:num-suffix'] ?? '.',
  };
}

/** Returns the formatting that a style itself sets. */
function readOwnFormatting(properties: XmlElement | undefined): Partial<Formatting> {
  const formatting: Partial<Formatting> = {};
  const { attributes = {} } = properties ?? {};
  const weight = attributes['fo:font-weight'];
  const slant = attributes['fo:font-style'];
  const underline = attributes['style:text-underline-style'];
  const strike = attributes['style:text-line-through-style'] ?? attributes['style:text-line-through-type'];
  const position = attributes['style:text-position'];
  if (weight !== undefined) formatting.bold = weight === 'bold' || Number(weight) >= minBoldWeight;
  if (slant !== undefined) formatting.italic = slant === 'italic' || slant === 'oblique';
  if (underline !== undefined) formatting.underline = underline !== 'none';
  if (strike !== undefined) formatting.strikethrough = strike !== 'none';
  if (position !== undefined) formatting.script = parseScript(position);
  return formatting;
}

/** Parses `super 58%`, `sub 58%`, or a shift in per cent of the line height. */
function parseScript(position: string): Formatting['script'] {
  const shift = Number.parseFloat(position);
  if (position.startsWith('super') || shift > 0) return 'super';
  return position.startsWith('sub') || shift < 0 ? 'sub' : 'baseline';
}
