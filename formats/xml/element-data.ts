import type { Data, DataMap } from '../data/data';
import { readHtmlWords } from '../data/html-words';
import { getLocalName, joinText, listElements, readLocalName, type XmlElement } from './xml';
import { collapseXml } from './xml-document';

/** True if the element contains both text and elements. */
export function isMixed({ children }: XmlElement): boolean {
  let [hasText, hasElement] = [false, false];
  for (const node of children) {
    if (typeof node !== 'string') hasElement = true;
    else if (node.trim() !== '') hasText = true;
  }
  return hasText && hasElement;
}

/**
 * Returns the values of an element: its attributes, then its elements by name; repeated elements become a list at the position
 * of the first.
 */
export function readData(element: XmlElement): Data {
  if (readLocalName(element) === 'dict') return readDict(element) ?? buildMembers(element);
  return buildMembers(element);
}

function buildMembers(element: XmlElement): Data {
  const attributes = listAttributes(element);
  const inner = listElements(element);
  if (isMixed(element)) return addText(attributes, collapseXml(joinText(element)).trim());
  if (inner.length === 0) return addText(attributes, toParagraphs(joinText(element)));
  const byName = new Map<string, Data[]>();
  for (const child of inner) {
    const sameName = byName.get(child.name);
    if (sameName) sameName.push(readData(child));
    else byName.set(child.name, [readData(child)]);
  }
  if (byName.size === 1 && attributes.length === 0 && inner.length > 1 && element.name !== '')
    return { kind: 'list', items: [...byName.values()][0]! };
  const entries = [...byName].map(([name, values]): [string, Data] => [
    getLocalName(name),
    values.length === 1 ? values[0]! : { kind: 'list', items: values },
  ]);
  return { kind: 'map', entries: [...attributes, ...entries] };
}

function addText(attributes: DataMap['entries'], text: string): Data {
  if (attributes.length === 0) return text;
  return { kind: 'map', entries: text === '' ? attributes : [['', text], ...attributes] };
}

/** Returns the attributes except those that declare namespaces and schemas. */
export function listAttributes({ attributes }: XmlElement): [string, string][] {
  return Object.entries(attributes)
    .filter(([name, value]) => value.trim() !== '' && !/^xmlns(?::|$)|(?:^|:)(?:schemaLocation|space)$/.test(name))
    .map(([name, value]) => [getLocalName(name), value.trim()]);
}

/** Reads a `dict` of a property list, in which `key` and value alternate; undefined for other elements with that name. */
function readDict(element: XmlElement): Data | undefined {
  const inner = listElements(element);
  if (inner.length === 0 || inner.length % 2 === 1) return undefined;
  const entries: [string, Data][] = [];
  for (let at = 0; at < inner.length; at += 2) {
    const [key, value] = [inner[at]!, inner[at + 1]!];
    if (readLocalName(key) !== 'key') return undefined;
    const isBoolean = value.children.length === 0 && /^(?:true|false)$/.test(readLocalName(value));
    entries.push([joinText(key).trim(), isBoolean ? readLocalName(value) : readData(value)]);
  }
  return { kind: 'map', entries };
}

/**
 * Returns the text with blank lines between paragraphs and no line ends within them. Escaped HTML is reduced to its words.
 */
function toParagraphs(text: string): string {
  return readHtmlWords(text)
    .trim()
    .split(/\n[ \t]*\n\s*/)
    .map((paragraph) => collapseXml(paragraph).trim())
    .join('\n\n');
}
