import { SaxesParser } from 'saxes';
import { AppError } from '../../model/errors';
import { createRootScope } from './xml-names';
import { isSkipped, scanText, type SkippedXml, type TextHandlers } from './xml-text';

/**
 * One element. Names are `prefix:local` with the prefix that the reader chose for the namespace (`XmlOptions.prefixes`),
 * whatever prefix the document uses. Names of other namespaces keep the document's prefix.
 */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}
/** Text is a string; texts separated by a comment are not merged. */
export type XmlNode = XmlElement | string;

/** Callbacks of a scan, called in document order. */
export interface XmlHandlers {
  open?: (name: string, attributes: Record<string, string>) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
}

export interface XmlOptions {
  /** The name of the source in messages: the name of an entry. */
  source: string;
  /** Maps namespace URIs to prefixes; an empty prefix means plain local names. */
  prefixes?: Readonly<Record<string, string>>;
  /** Maximum nesting of elements. */
  maxDepth: number;
  /** Maximum number of elements of a tree. A scan keeps none and has no such limit. */
  maxElements?: number;
  /** Elements that a tree omits with their content. */
  skip?: SkippedXml;
  /**
   * Called when an element with that name is complete. The returned element replaces it, and dropped descendants no longer
   * count towards `maxElements`. For parts with a million small elements.
   */
  fold?: Readonly<Record<string, (element: XmlElement) => XmlElement>>;
}

const defaultMaxElements = 2_000_000;
const chunkBytes = 64 * 1024;
/** Longer documents are scanned in pieces, which is slower but avoids one huge string. */
const maxInOneText = 64 * 1024 * 1024;

/** Parses a whole document into a tree. Throws DOCUMENT_CORRUPT or DOCUMENT_TOO_LARGE. Fetches and expands nothing. */
export function parseXml(input: string | Uint8Array, options: XmlOptions): XmlElement {
  const top: XmlNode[] = [];
  const stack: XmlNode[][] = [top];
  let siblings = top;
  let count = 0;
  let skipped = 0;
  const { skip, fold } = options;
  const maxElements = options.maxElements ?? defaultMaxElements;
  scan(
    input,
    {
      open(name, attributes) {
        if (skipped > 0 || isSkipped(skip, name, attributes)) {
          skipped += 1;
          return;
        }
        if (++count > maxElements) {
          throw new AppError('DOCUMENT_TOO_LARGE', `${options.source} holds more than ${maxElements} elements.`);
        }
        const children: XmlNode[] = [];
        siblings.push({ name, attributes, children });
        stack.push(children);
        siblings = children;
      },
      text(text) {
        if (stack.length > 1 && skipped === 0) siblings.push(text);
      },
      close() {
        if (skipped > 0) {
          skipped -= 1;
          return;
        }
        stack.pop();
        siblings = stack[stack.length - 1] ?? top;
        const closed = fold === undefined ? undefined : (siblings.at(-1) as XmlElement);
        const change = closed && fold?.[closed.name];
        if (!closed || !change) return;
        const folded = change(closed);
        count -= closed.children.length - folded.children.length;
        siblings[siblings.length - 1] = folded;
      },
    },
    options,
    skip,
  );
  const root = top[0];
  if (root === undefined || typeof root === 'string') {
    throw new AppError('DOCUMENT_CORRUPT', `${options.source} holds no XML element.`);
  }
  return root;
}

/** Scans a document piece by piece without keeping it, for parts that may be hundreds of megabytes. */
export function scanXml(input: string | Uint8Array, handlers: XmlHandlers, options: XmlOptions): void {
  scan(input, handlers, options);
}

function scan(input: string | Uint8Array, handlers: XmlHandlers, options: XmlOptions, skip?: SkippedXml): void {
  const checked = buildCheckedHandlers(handlers, options);
  if (skip !== undefined) checked.skip = skip;
  const prefixes = options.prefixes ?? {};
  if (input.length <= maxInOneText) scanText([...decode(input, input.length)].join(''), prefixes, checked);
  else {
    // Such a document is too long for one string.
    const parser = createParser(prefixes, checked);
    for (const chunk of decode(input, chunkBytes)) parser.write(chunk);
    parser.close();
  }
}

function buildCheckedHandlers(handlers: XmlHandlers, options: XmlOptions): TextHandlers {
  let depth = 0;
  return {
    open(name, attributes) {
      if (++depth > options.maxDepth)
        throw new AppError('DOCUMENT_TOO_LARGE', `${options.source} nests deeper than ${options.maxDepth} elements.`);
      handlers.open?.(name, attributes);
    },
    text: handlers.text,
    close(name) {
      depth -= 1;
      handlers.close?.(name);
    },
    fail(reason) {
      throw new AppError('DOCUMENT_CORRUPT', `${options.source} is not well-formed XML: ${reason}.`);
    },
    doctype(content) {
      if (content.includes('<!ENTITY'))
        throw new AppError('DOCUMENT_CORRUPT', `${options.source} declares entities, which are refused.`);
    },
  };
}

/** A scan that the caller feeds piece by piece. Both functions throw the errors of `scanXml`. */
export interface XmlScan {
  write(bytes: Uint8Array): void;
  close(): void;
}

/** Starts a scan of a document whose bytes arrive in pieces. */
export function startXmlScan(handlers: XmlHandlers, options: XmlOptions): XmlScan {
  const parser = createParser(options.prefixes ?? {}, buildCheckedHandlers(handlers, options));
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  return {
    write(bytes) {
      decoder ??= new TextDecoder(readEncoding(bytes));
      parser.write(decoder.decode(bytes, { stream: true }));
    },
    close: () => void parser.close(),
  };
}

function createParser(prefixes: Readonly<Record<string, string>>, handlers: TextHandlers): SaxesParser {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const scopes = [createRootScope(prefixes)];
  parser.on('error', (error) => handlers.fail(error.message));
  parser.on('doctype', (doctype) => handlers.doctype(doctype));
  parser.on('opentag', (tag) => {
    const scope = scopes.at(-1)!.inside(tag.attributes);
    scopes.push(scope);
    handlers.open(scope.element(tag.name), scope.attributes(tag.attributes));
  });
  parser.on('closetag', (tag) => handlers.close?.(scopes.pop()!.element(tag.name)));
  if (handlers.text !== undefined) {
    parser.on('text', handlers.text);
    parser.on('cdata', handlers.text);
  }
  return parser;
}

function* decode(input: string | Uint8Array, size: number): Generator<string> {
  if (typeof input === 'string') {
    yield input.charCodeAt(0) === 0xfeff ? input.slice(1) : input;
    return;
  }
  const encoding = readEncoding(input);
  if (encoding === 'utf-8' && size >= input.length) {
    yield Buffer.from(input.buffer, input.byteOffset, input.length).toString('utf8');
    return;
  }
  const decoder = new TextDecoder(encoding);
  for (let at = 0; at < input.length; at += size) yield decoder.decode(input.subarray(at, at + size), { stream: true });
  yield decoder.decode();
}

/** Returns the encoding by byte order mark, else by declaration, else UTF-8 (XML 1.0, appendix F). */
function readEncoding(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le';
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be';
  const head = String.fromCharCode(...bytes.subarray(0, 120));
  const label = /^(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/
    .exec(head)?.[1]
    ?.toLowerCase();
  if (label === undefined) return 'utf-8';
  try {
    return new TextDecoder(label).encoding.startsWith('utf-16') ? 'utf-8' : label;
  } catch {
    return 'utf-8';
  }
}

/** Returns a name without its prefix. */
export function getLocalName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Returns the name of an element without its prefix. */
export function readLocalName({ name }: XmlElement): string {
  return getLocalName(name);
}

/** Returns the first child element with that name. */
export function findChild(element: XmlElement | undefined, name: string): XmlElement | undefined {
  if (element === undefined) return undefined;
  for (const node of element.children) if (typeof node !== 'string' && node.name === name) return node;
  return undefined;
}

/** Returns the child elements, limited to `name` if given. */
export function listElements(element: XmlElement | undefined, name?: string): XmlElement[] {
  const elements: XmlElement[] = [];
  if (element === undefined) return elements;
  for (const node of element.children) {
    if (typeof node !== 'string' && (name === undefined || node.name === name)) elements.push(node);
  }
  return elements;
}

/** Returns every descendant with that name in document order, including nested ones. `skip` excludes whole subtrees. */
export function listDescendants(
  element: XmlElement,
  name: string,
  skip?: (element: XmlElement) => boolean,
): XmlElement[] {
  const elements: XmlElement[] = [];
  const visit = (parent: XmlElement): void => {
    for (const node of parent.children) {
      if (typeof node === 'string' || skip?.(node) === true) continue;
      if (node.name === name) elements.push(node);
      visit(node);
    }
  };
  visit(element);
  return elements;
}

/** Returns the text of the element and all its descendants. */
export function joinText(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  let text = '';
  for (const node of element.children) text += typeof node === 'string' ? node : joinText(node);
  return text;
}
