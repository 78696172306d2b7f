import type { ImageRef } from '../../document/model';
import { AppError } from '../../model/errors';
import type { ReadLimits } from '../format';
import { createImages } from '../ooxml/image';
import { compactCell } from './cells';
import { child, elements, parseXml, type XmlElement, type XmlOptions } from '../xml/xml';
import { openZip, type Zip } from '../zip/zip';

/** An opened OpenDocument file. */
export interface OdfPackage {
  readonly zip: Zip;
  /** The root of `content.xml`. */
  readonly content: XmlElement;
  /** The root of `styles.xml`; undefined if it is missing. */
  readonly styles: XmlElement | undefined;
  /** `office:text`, `office:spreadsheet` or `office:presentation`. */
  readonly body: XmlElement;
  /** Returns the tree of a part; undefined if it is missing. */
  xml(part: string): XmlElement | undefined;
  /** Returns a picture of the package; undefined for external pictures and formats that browsers do not support. */
  image(href: string): ImageRef | undefined;
}

const odf = 'urn:oasis:names:tc:opendocument:xmlns:';
const prefixes: Readonly<Record<string, string>> = {
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
const unread: ReadonlySet<string> = new Set([
  'draw:enhanced-geometry',
  'anim:par',
  'office:scripts',
  'office:event-listeners',
  'office:forms',
  'office:font-face-decls',
  'text:tracked-changes',
  'table:tracked-changes',
  'draw:glue-point',
]);

/** Opens an OpenDocument file of that kind. Throws DOCUMENT_CORRUPT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_LARGE. */
export function openOdf(
  bytes: Uint8Array,
  limits: ReadLimits,
  kind: 'text' | 'spreadsheet' | 'presentation',
): OdfPackage {
  const zip = openZip(bytes, limits);
  const xml = (part: string, fold?: XmlOptions['fold']): XmlElement | undefined => {
    const content = zip.read(part);
    const options = { source: part, prefixes, maxDepth: limits.maxDepth, skip: unread };
    return content && parseXml(content, fold ? { ...options, fold } : options);
  };
  refuseEncrypted(xml('META-INF/manifest.xml'));
  const content = kind === 'spreadsheet' ? xml('content.xml', { 'table:table-cell': compactCell }) : xml('content.xml');
  const body = child(child(content, 'office:body'), `office:${kind}`);
  if (content === undefined || body === undefined) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `The ZIP container holds no OpenDocument ${kind} (content.xml with office:${kind} was expected).`,
    );
  }
  const load = createImages({ zip });
  return { zip, content, styles: xml('styles.xml'), body, xml, image: (href) => load(partName(href)) };
}

/** Returns the name of a part relative to the package, without a leading `./`. */
export function partName(href: string): string {
  return href.replace(/^\.\//, '').replace(/\/$/, '');
}

function refuseEncrypted(manifest: XmlElement | undefined): void {
  const isEncrypted = elements(manifest, 'manifest:file-entry').some((entry) =>
    child(entry, 'manifest:encryption-data'),
  );
  if (isEncrypted) throw new AppError('DOCUMENT_ENCRYPTED', 'The OpenDocument file is protected by a password.');
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
export function points(length: string | undefined): number | undefined {
  const found = /^(-?\d*\.?\d+)(pt|in|cm|mm|pc|px)$/.exec(length?.trim() ?? '');
  return found ? Math.round(Number(found[1]) * pointsPerUnit[found[2]!]! * 100) / 100 : undefined;
}
