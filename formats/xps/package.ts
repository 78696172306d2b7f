import { AppError } from '../../model/errors';
import type { ReadLimits } from '../format';
import { listElements, parseXml, type XmlElement } from '../xml/xml';
import { decodePath, resolvePartName } from '../zip/part-name';
import { openZip } from '../zip/zip';

/** An opened XPS package. Part names have no leading slash. */
export interface XpsPackage {
  /** The parts of the pages in order. */
  readonly pages: readonly string[];
  /** The parts that describe the structure of the documents, such as their outlines. */
  readonly structures: readonly string[];
  /** Returns the bytes of a part, joined if they are interleaved; undefined if it is missing. */
  read(part: string): Uint8Array | undefined;
  /** Returns the size that the package states for a part; undefined if it is missing. */
  sizeOf(part: string): number | undefined;
  /** Returns the tree of a part; undefined if it is missing. */
  xml(part: string): XmlElement | undefined;
  /** Returns the relationships of a part. */
  relations(part: string): Relation[];
}

/** A relationship; `type` is the last segment of its URI. */
export interface Relation {
  type: string;
  target: string;
}

// XPS 1.0 and OpenXPS (ECMA-388) use different URIs for the same vocabulary.
const prefixes: Readonly<Record<string, string>> = {
  'http://schemas.microsoft.com/xps/2005/06': '',
  'http://schemas.openxps.org/oxps/v1.0': '',
  'http://schemas.microsoft.com/xps/2005/06/documentstructure': '',
  'http://schemas.openxps.org/oxps/v1.0/documentstructure': '',
  'http://schemas.openxmlformats.org/package/2006/relationships': '',
  'http://schemas.microsoft.com/xps/2005/06/resourcedictionary-key': 'x',
  'http://schemas.openxps.org/oxps/v1.0/resourcedictionary-key': 'x',
  'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
};

/** Opens a package. Throws DOCUMENT_CORRUPT if it names no sequence of documents, and the errors of `openZip`. */
export function openXps(bytes: Uint8Array, name: string, limits: ReadLimits): XpsPackage {
  const zip = openZip(bytes, limits);
  const pieces = listPieces(zip.names);
  const read = (part: string): Uint8Array | undefined => {
    if (zip.has(part)) return zip.read(part);
    const partPieces = pieces.get(part.toLowerCase());
    return partPieces && Buffer.concat(partPieces.flatMap((piece) => zip.read(piece) ?? []));
  };
  const findSize = (part: string): number | undefined => {
    if (zip.has(part)) return zip.declaredSize(part);
    const partPieces = pieces.get(part.toLowerCase());
    return partPieces?.reduce((sum, piece) => sum + (zip.declaredSize(piece) ?? 0), 0);
  };
  const readXml = (part: string) => {
    const content = read(part);
    return content && parseXml(content, { source: part, prefixes, maxDepth: limits.maxDepth });
  };
  const readRelations = (part: string) => {
    const slash = part.lastIndexOf('/') + 1;
    const root = readXml(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
    return listElements(root, 'Relationship').map(({ attributes: { Type: type = '', Target: target = '' } }) => ({
      type: type.slice(type.lastIndexOf('/') + 1),
      target: resolvePart(part, target),
    }));
  };
  const sequence = readRelations('').find(({ type }) => type === 'fixedrepresentation')?.target;
  const root = sequence === undefined ? undefined : readXml(sequence);
  if (sequence === undefined || root?.name !== 'FixedDocumentSequence')
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' is not an XPS document: it names no sequence of documents.`);
  const documents = listElements(root, 'DocumentReference').map(({ attributes }) =>
    resolvePart(sequence, attributes['Source'] ?? ''),
  );
  const pages = documents.flatMap((part) =>
    listElements(readXml(part), 'PageContent').map(({ attributes }) => resolvePart(part, attributes['Source'] ?? '')),
  );
  const structures = documents.flatMap((part) =>
    readRelations(part).flatMap(({ type, target }) => (type === 'documentstructure' ? [target] : [])),
  );
  return { pages, structures, read, sizeOf: findSize, xml: readXml, relations: readRelations };
}

/** Returns the pieces of interleaved parts in order, by the name of the part in lower case (ISO/IEC 29500-2, 10.2.3). */
function listPieces(names: readonly string[]): Map<string, string[]> {
  const pieceNames = new Map<string, { number: number; name: string }[]>();
  for (const name of names) {
    const [, part, number] = /^(.+)\/\[(\d{1,9})\](?:\.last)?\.piece$/i.exec(name) ?? [];
    if (part === undefined) continue;
    const key = part.toLowerCase();
    const pieces = pieceNames.get(key) ?? [];
    pieces.push({ number: Number(number), name });
    pieceNames.set(key, pieces);
  }
  return new Map(
    [...pieceNames].map(([part, pieces]) => [
      part,
      pieces.toSorted((piece, other) => piece.number - other.number).map(({ name }) => name),
    ]),
  );
}

/** Resolves an address within the package against the part that contains it. */
export function resolvePart(from: string, target: string): string {
  return resolvePartName(from, decodePath(target.split('#')[0] ?? '').replaceAll('\\', '/'));
}
