import type { ImageRef } from '../../document/model';
import { AppError } from '../../model/errors';
import type { ReadLimits, ReadOptions } from '../format';
import { createImages, createImageShare } from '../ooxml/image';
import { findChild, parseXml, joinText, type XmlElement, type XmlOptions } from '../xml/xml';
import { openZip } from '../zip/zip';
import { toCompactCell } from './cells';
import { openEncrypted } from './decrypt';

/** An opened OpenDocument file. */
export interface OdfPackage {
  /** True if the package has that part. */
  has(part: string): boolean;
  /** The root of `content.xml`. */
  readonly content: XmlElement;
  /** The root of `styles.xml`; undefined if it is missing. */
  readonly styles: XmlElement | undefined;
  /** `office:text`, `office:spreadsheet`, `office:presentation` or `office:drawing`. */
  readonly body: XmlElement;
  /** Returns the tree of a part; undefined if it is missing. */
  xml(part: string): XmlElement | undefined;
  /** Returns the picture inside a `draw:image` of a flat file; undefined if there is none that browsers support. */
  inlineImage(element: XmlElement): ImageRef | undefined;
  /** Returns a picture of the package; undefined for external pictures and formats that browsers do not support. */
  image(href: string): ImageRef | undefined;
}

const odf = 'urn:oasis:names:tc:opendocument:xmlns:';
/** The prefixes that readers use, by namespace. */
export const odfPrefixes: Readonly<Record<string, string>> = {
  [`${odf}office:1.0`]: 'office',
  [`${odf}style:1.0`]: 'style',
  [`${odf}text:1.0`]: 'text',
  [`${odf}table:1.0`]: 'table',
  [`${odf}drawing:1.0`]: 'draw',
  [`${odf}presentation:1.0`]: 'presentation',
  [`${odf}chart:1.0`]: 'chart',
  [`${odf}meta:1.0`]: 'meta',
  [`${odf}xsl-fo-compatible:1.0`]: 'fo',
  [`${odf}svg-compatible:1.0`]: 'svg',
  [`${odf}manifest:1.0`]: 'manifest',
  'urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0': 'loext',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://www.w3.org/1999/xlink': 'xlink',
};

// Shape outlines, animations and scripts: large in some files, and no reader uses them.
const skippedElements: ReadonlySet<string> = new Set([
  'draw:enhanced-geometry',
  'anim:par',
  'office:scripts',
  'office:event-listeners',
  'office:forms',
  'office:font-face-decls',
  'table:tracked-changes',
  'draw:glue-point',
]);

/** The options of a reader that opening a file needs. */
type OdfOptions = Pick<ReadOptions, 'limits' | 'paged' | 'recordOmission'>;

/** Modules of LibreOffice Basic: parts of a package, elements of a flat file. Library indexes and dialogs do not count. */
const macroPart = /^Basic\/[^/]+\/(?!(?:script|dialog)-l[bc]\.xml$)[^/]+\.xml$/;
const macroElement = Buffer.from('<ooo:module ');

/** The type of an OpenDocument file: the name of the element in its body. */
export type OdfKind = 'text' | 'spreadsheet' | 'presentation' | 'drawing';

/**
 * Opens an OpenDocument file of this type: a package, or a flat file, which is a single XML document. Throws DOCUMENT_CORRUPT,
 * DOCUMENT_ENCRYPTED or DOCUMENT_TOO_LARGE.
 */
export function openOdf(bytes: Uint8Array, options: OdfOptions, kind: OdfKind): OdfPackage {
  const { limits, paged, recordOmission } = options;
  const isPackage = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (isPackage) return openPackage(bytes, { limits, password: paged?.password, recordOmission }, kind);
  const office = openFlat(bytes, limits, kind);
  for (let count = countMacros(bytes); count > 0; count -= 1) recordOmission?.('macro');
  return office;
}

function countMacros(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = buffer.indexOf(macroElement); at >= 0; at = buffer.indexOf(macroElement, at + 1)) count += 1;
  return count;
}

function openPackage(
  bytes: Uint8Array,
  {
    limits,
    password,
    recordOmission,
  }: { limits: ReadLimits; password: string | undefined; recordOmission: ReadOptions['recordOmission'] },
  kind: OdfKind,
): OdfPackage {
  const container = openZip(bytes, limits);
  const options = buildOptions('META-INF/manifest.xml', limits);
  const manifest = container.read(options.source);
  const zip = openEncrypted(container, manifest && parseXml(manifest, options), { password, limits });
  const readXml = (part: string, more: Partial<XmlOptions> = {}): XmlElement | undefined => {
    const content = zip.read(part);
    return content && parseXml(content, { ...buildOptions(part, limits), ...more });
  };
  const content = readXml('content.xml', createFoldOption(kind));
  const body = findChild(findChild(content, 'office:body'), `office:${kind}`);
  if (content === undefined || body === undefined) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `The ZIP container holds no OpenDocument ${kind} (content.xml with office:${kind} was expected).`,
    );
  }
  for (const name of zip.names) if (macroPart.test(name)) recordOmission?.('macro');
  const load = createImages({ zip });
  return {
    has: (part) => zip.has(part),
    content,
    styles: readXml('styles.xml'),
    body,
    xml: readXml,
    image: (href) => load(getPartName(href)),
    inlineImage: createInlineImages(),
  };
}

/** A flat file has no parts: styles are in the same tree, pictures and objects within their frames. */
function openFlat(bytes: Uint8Array, limits: ReadLimits, kind: OdfKind): OdfPackage {
  if (bytes.length > limits.maxExpandedBytes) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `The flat OpenDocument file has ${bytes.length} bytes; the limit is ${limits.maxExpandedBytes}.`,
    );
  }
  const content = parseXml(bytes, { ...buildOptions('The flat OpenDocument file', limits), ...createFoldOption(kind) });
  const body = findChild(findChild(content, 'office:body'), `office:${kind}`);
  if (content.name !== 'office:document' || body === undefined) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `The file is neither an OpenDocument package nor a flat OpenDocument ${kind} (office:document with office:${kind} was expected).`,
    );
  }
  return {
    has: () => false,
    content,
    styles: content,
    body,
    xml: () => undefined,
    image: () => undefined,
    inlineImage: createInlineImages(),
  };
}

function buildOptions(source: string, { maxDepth }: ReadLimits): XmlOptions {
  return { source, prefixes: odfPrefixes, maxDepth, skip: skippedElements };
}

/** The cells of a spreadsheet are made compact while the content is parsed. */
function createFoldOption(kind: OdfKind): Pick<XmlOptions, 'fold'> {
  return kind === 'spreadsheet' ? { fold: { 'table:table-cell': toCompactCell } } : {};
}

/** Returns the picture that an element contains as base64, within the limits of pictures. */
function createInlineImages(): (element: XmlElement) => ImageRef | undefined {
  const share = createImageShare<XmlElement>();
  return (element) =>
    share(element, () => {
      const data = findChild(element, 'office:binary-data');
      return data && Buffer.from(joinText(data), 'base64');
    });
}

/** Returns the name of a part relative to the package, without a leading `./`. */
export function getPartName(href: string): string {
  return href.replace(/^\.\//, '').replace(/\/$/, '');
}

const pointsPerUnit: Readonly<Record<string, number>> = {
  pt: 1,
  in: 72,
  cm: 72 / 2.54,
  mm: 7.2 / 2.54,
  pc: 12,
  px: 0.75,
};

/** Converts a length such as `2.54cm` to points; undefined if it is invalid. */
export function parsePoints(length: string | undefined): number | undefined {
  const match = /^(-?\d*\.?\d+)(pt|in|cm|mm|pc|px)$/.exec(length?.trim() ?? '');
  return match ? Math.round(Number(match[1]) * pointsPerUnit[match[2]!]! * 100) / 100 : undefined;
}
