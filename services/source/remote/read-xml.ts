import { SaxesParser } from 'saxes';
import { AppError } from '../../../model/errors';

/** An element of a server response, with local names only: servers choose prefixes freely. */
export interface XmlElement {
  name: string;
  text: string;
  /** Attributes by local name; absent if there are none. */
  attributes?: Record<string, string>;
  children: XmlElement[];
}

const maxDepth = 50;
const maxElements = 2_000_000;

/** Parses an XML response of a server. Rejects entities other than the five predefined ones. Throws INVALID_RESPONSE. */
export function readXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const root: XmlElement = { name: '', text: '', children: [] };
  const open = [root];
  let elements = 0;
  parser.on('error', (error) => {
    throw new AppError('INVALID_RESPONSE', `The answer of the server is not XML: ${error.message}`, {}, error);
  });
  parser.on('doctype', () => {
    throw new AppError('INVALID_RESPONSE', 'The answer of the server declares entities, which is refused.');
  });
  parser.on('opentag', ({ local, attributes }) => {
    elements += 1;
    if (open.length > maxDepth || elements > maxElements)
      throw new AppError('INVALID_RESPONSE', 'The answer of the server is too large or too deep.');
    const element: XmlElement = { name: local, text: '', children: [] };
    const pairs = Object.values(attributes).map((attribute) => [attribute.local, attribute.value] as const);
    if (pairs.length > 0) element.attributes = Object.fromEntries(pairs);
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const addText = (piece: string) => {
    const element = open.at(-1);
    if (element) element.text += piece;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  const [first] = root.children;
  if (!first) throw new AppError('INVALID_RESPONSE', 'The answer of the server is empty.');
  return first;
}

/** The first descendant at this path of element names. */
export function findChild(element: XmlElement | undefined, ...names: readonly string[]): XmlElement | undefined {
  let descendant = element;
  for (const name of names) descendant = descendant?.children.find((child) => child.name === name);
  return descendant;
}
