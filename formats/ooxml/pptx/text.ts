import type { GroupItem, TextItem } from '../../../document/model';
import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { readDrawingText } from '../text';
import type { Shape } from './shapes';
import { createProvenance, type SlideContext } from './slide-context';

type Bullet = 'none' | 'bullet' | { startAt: number };

/** Placeholders that repeat on every slide: numbers, dates, headers and footers. */
const furniture: ReadonlySet<string> = new Set(['sldNum', 'dt', 'ftr', 'hdr']);

/** An open list, and the item that a nested list is added below. */
interface OpenList {
  level: number;
  list: GroupItem;
  item: TextItem | undefined;
}

/** Adds the paragraphs of a shape as titles, as list items if they have bullets (nested by level), or as paragraphs. */
export function addTextBody(context: SlideContext, shape: Shape, body: XmlElement | undefined): void {
  const paragraphs = listElements(body, 'a:p');
  const texts = paragraphs.map((paragraph) => readDrawingText(paragraph).trim());
  if (texts.every((text) => text === '')) return;
  const type = shape.placeholder?.type;
  const label = type === 'title' || type === 'ctrTitle' ? 'title' : 'paragraph';
  const length = texts.join('\n').length;
  if (type !== undefined && furniture.has(type)) {
    const furnitureLabel = type === 'hdr' ? 'page_header' : 'page_footer';
    const prov = createProvenance(context, shape, length);
    context.builder.text(furnitureLabel, texts.join(' ').trim(), { parent: context.group, layer: 'furniture', prov });
    return;
  }
  let open: OpenList[] = [];
  /** Counts of numbered items, by level. */
  let counts: number[] = [];
  for (const [index, paragraph] of paragraphs.entries()) {
    const text = texts[index]!;
    const prov = createProvenance(context, shape, length);
    const level = Math.min(Math.max(Number(findChild(paragraph, 'a:pPr')?.attributes['lvl']) || 0, 0), 8);
    const bullet = getBullet(context, shape, { body, paragraph, level });
    if (bullet === 'none') {
      open = [];
      context.builder.text(label, text, { parent: context.group, prov });
      continue;
    }
    if (open.length === 0) counts = [];
    open = open.filter((list) => list.level <= level);
    const last = open.at(-1);
    if (last === undefined || (last.level < level && last.item)) {
      const list = context.builder.group('list', { parent: last?.item ?? context.group });
      open.push({ level, list, item: undefined });
    }
    const current = open.at(-1)!;
    counts = counts.slice(0, level + 1);
    const enumerated = bullet !== 'bullet';
    if (enumerated) counts[level] = counts[level] === undefined ? bullet.startAt : counts[level] + 1;
    const marker = enumerated ? `${counts[level]}.` : '';
    current.item = context.builder.listItem(text, { parent: current.list, prov, enumerated, marker });
  }
}

interface ParagraphInBody {
  body: XmlElement | undefined;
  paragraph: XmlElement;
  level: number;
}

/**
 * Returns the bullet of a paragraph: from the paragraph, else the shape, else, for content, the master's body style before the
 * layout, as in the reference. A subtitle uses only its layout. By default, deeper levels are list items.
 */
function getBullet(
  { theme }: SlideContext,
  { placeholder }: Shape,
  { body, paragraph, level }: ParagraphInBody,
): Bullet {
  const inStyle = (style: XmlElement | undefined) => findChild(style, `a:lvl${level + 1}pPr`);
  const sources = [findChild(paragraph, 'a:pPr'), inStyle(findChild(body, 'a:lstStyle'))];
  if (placeholder !== undefined) {
    const { type } = placeholder;
    const master = inStyle(theme.masterStyle(placeholder));
    const inherited = theme
      .inherited(placeholder)
      .map((shape) => inStyle(findChild(findChild(shape, 'p:txBody'), 'a:lstStyle')));
    if (type === 'body' || type === 'obj') sources.push(master, ...inherited);
    else sources.push(...inherited, ...(type === 'subTitle' ? [] : [master]));
  }
  for (const source of sources) {
    const bullet = findBullet(source);
    if (bullet !== undefined) return bullet;
  }
  return level > 0 ? 'bullet' : 'none';
}

function findBullet(properties: XmlElement | undefined): Bullet | undefined {
  if (findChild(properties, 'a:buNone') !== undefined) return 'none';
  if (findChild(properties, 'a:buChar') !== undefined || findChild(properties, 'a:buBlip') !== undefined)
    return 'bullet';
  const automatic = findChild(properties, 'a:buAutoNum');
  return automatic === undefined ? undefined : { startAt: Number(automatic.attributes['startAt']) || 1 };
}
