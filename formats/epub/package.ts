import { AppError } from '../../model/errors';
import type { ReadLimits } from '../format';
import { findChild, listDescendants, listElements, parseXml, type XmlElement } from '../xml/xml';
import { decodePath, resolvePartName } from '../zip/part-name';
import type { Zip } from '../zip/zip';

const prefixes: Readonly<Record<string, string>> = {
  'urn:oasis:names:tc:opendocument:xmlns:container': '',
  'http://www.idpf.org/2007/opf': '',
  'http://www.w3.org/2001/04/xmlenc#': 'enc',
};

/**
 * Returns the names of the content documents in reading order (EPUB 3.3, 5.7). Throws DOCUMENT_ENCRYPTED if one of them is
 * encrypted.
 */
export function readSpine(zip: Zip, limits: ReadLimits): string[] {
  const container = readPart(zip, 'META-INF/container.xml', limits);
  const packagePart = container && listDescendants(container, 'rootfile')[0]?.attributes['full-path'];
  const root = packagePart === undefined ? undefined : readPart(zip, packagePart, limits);
  if (packagePart === undefined || root === undefined) {
    throw new AppError('DOCUMENT_CORRUPT', 'The ZIP container is not a book: META-INF/container.xml names no package.');
  }
  const items = new Map(
    listElements(findChild(root, 'manifest'), 'item').map(({ attributes }) => [attributes['id'], attributes]),
  );
  const names = listElements(findChild(root, 'spine'), 'itemref').flatMap(({ attributes }) => {
    const item = items.get(attributes['idref']);
    // The spine may contain pictures and other files; only pages can be read.
    const isPage = item !== undefined && /html/i.test(item['media-type'] ?? 'html');
    return isPage && item['href'] !== undefined ? [resolveName(packagePart, item['href'])] : [];
  });
  refuseEncrypted(zip, new Set(names), limits);
  return names;
}

function readPart(zip: Zip, name: string, limits: ReadLimits): XmlElement | undefined {
  const bytes = zip.read(name);
  return bytes && parseXml(bytes, { source: name, prefixes, maxDepth: limits.maxDepth });
}

/** Throws if a page is encrypted. Encrypted fonts are common, and are not needed. */
function refuseEncrypted(zip: Zip, pages: ReadonlySet<string>, limits: ReadLimits): void {
  const root = readPart(zip, 'META-INF/encryption.xml', limits);
  if (!root) return;
  for (const { attributes } of listDescendants(root, 'enc:CipherReference')) {
    if (!pages.has(resolveName('', attributes['URI'] ?? ''))) continue;
    throw new AppError('DOCUMENT_ENCRYPTED', 'The book is protected by digital rights management.');
  }
}

/** Resolves an address relative to a part into a name in the container. Addresses are percent-encoded, names are not. */
export function resolveName(from: string, address: string): string {
  return resolvePartName(from, decodePath(address.split(/[?#]/)[0]!));
}
