import { AppError } from '../../model/errors';
import type { ReadLimits } from '../format';
import { listDescendants, listElements, parseXml, type XmlElement } from '../xml/xml';
import { openZip, type Zip } from '../zip/zip';

/** An opened document of Hangul. */
export interface HwpxPackage {
  zip: Zip;
  /** Styles, numberings and fonts; undefined if the part is missing. */
  head: XmlElement | undefined;
  /** The sections in the order of the text. */
  sections: XmlElement[];
  /** The master pages of sections, whose texts are the background of each page. */
  masters: XmlElement[];
  /** Returns the part of an item of the manifest, such as a picture. */
  partOf(id: string): string | undefined;
}

const base = 'http://www.hancom.co.kr/';
// Names in other versions of the vocabularies keep the document's own prefixes.
const prefixes: Readonly<Record<string, string>> = {
  [`${base}hwpml/2011/paragraph`]: 'hp',
  [`${base}hwpml/2016/paragraph`]: 'hp',
  [`${base}hwpml/2011/section`]: 'hs',
  [`${base}hwpml/2011/core`]: 'hc',
  [`${base}hwpml/2011/head`]: 'hh',
  'http://www.idpf.org/2007/opf/': 'opf',
  'urn:oasis:names:tc:opendocument:xmlns:container': 'ocf',
};
const defaultManifest = 'Contents/content.hpf';

/** Opens a document. Throws DOCUMENT_CORRUPT if it has no section, DOCUMENT_ENCRYPTED, and the errors of `openZip`. */
export function openHwpx(bytes: Uint8Array, name: string, limits: ReadLimits): HwpxPackage {
  const zip = openZip(bytes, limits);
  const readXml = (part: string): XmlElement | undefined => {
    const content = zip.read(part);
    return content && parseXml(content, { source: part, prefixes, maxDepth: limits.maxDepth });
  };
  // The keys of an encrypted document are described as in OpenDocument.
  const description = Buffer.from(zip.read('META-INF/manifest.xml') ?? []).toString('utf8');
  if (/<(?:[\w-]+:)?encryption-data\b/.test(description))
    throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a Hangul document protected by a password.`);
  const container = readXml('META-INF/container.xml');
  const roots = container
    ? listDescendants(container, 'ocf:rootfile').map(({ attributes }) => attributes['full-path'])
    : [];
  const manifestPart = roots.find((part) => part !== undefined && /\.hpf$/i.test(part)) ?? defaultManifest;
  const manifest = readXml(manifestPart);
  const parts = new Map(
    (manifest ? listDescendants(manifest, 'opf:item') : []).map(({ attributes }) => [
      attributes['id'] ?? '',
      findPart(zip, manifestPart, attributes['href'] ?? ''),
    ]),
  );
  const spine = manifest
    ? listDescendants(manifest, 'opf:itemref').map(({ attributes }) => parts.get(attributes['idref'] ?? ''))
    : [];
  const listed = spine.filter((part) => part !== undefined && /section\d+\.xml$/i.test(part)) as string[];
  const sectionParts = listed.length > 0 ? listed : listSectionParts(zip);
  const sections = sectionParts.flatMap((part) => readXml(part) ?? []);
  if (sections.length === 0)
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' is a Hangul document without a section.`);
  const partNames = [...parts.values()].filter((part) => part !== undefined);
  const masterParts = partNames.filter((part) => /masterpage\d+\.xml$/i.test(part));
  return {
    zip,
    sections,
    masters: masterParts.flatMap((part) => readXml(part) ?? []),
    head: readXml(partNames.find((part) => /header\.xml$/i.test(part)) ?? 'Contents/header.xml'),
    partOf: (id) => parts.get(id),
  };
}

/** Resolves an address of the manifest from the root of the package, or relative to the manifest, as some programs write it. */
function findPart(zip: Zip, manifest: string, address: string): string | undefined {
  const path = address.replace(/^\/+/, '');
  const beside = `${manifest.slice(0, manifest.lastIndexOf('/') + 1)}${path}`;
  return [path, beside].find((part) => zip.has(part));
}

/** Returns the sections by number, for a package without a list of them. */
function listSectionParts(zip: Zip): string[] {
  const getNumber = (part: string) => Number(/(\d+)\.xml$/i.exec(part)?.[1]);
  return zip.names
    .filter((part) => /^Contents\/section\d+\.xml$/i.test(part))
    .toSorted((name, other) => getNumber(name) - getNumber(other));
}

/** Returns the paragraphs of a section, a cell or another list of paragraphs. */
export function listParagraphs(list: XmlElement | undefined): XmlElement[] {
  return listElements(list, 'hp:p');
}
