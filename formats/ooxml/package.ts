import { AppError } from '../../model/errors';
import type { ReadLimits } from '../format';
import { findChild, listElements, parseXml, scanXml, joinText, type XmlElement, type XmlHandlers } from '../xml/xml';
import type { SkippedXml } from '../xml/xml-text';
import { resolvePartName } from '../zip/part-name';
import { listDamagedEntries, openZip, type Zip } from '../zip/zip';

/** The target of a relationship. */
export interface Relationship {
  /** Last segment of the relationship type: `image`, `hyperlink`, `slideLayout`, … */
  type: string;
  /** Name of the part, or the URL if external. */
  target: string;
  isExternal: boolean;
}

/** An opened Office Open XML file. Part names have no leading slash. */
export interface OoxmlPackage {
  readonly zip: Zip;
  /** The office document part named by `_rels/.rels`. */
  readonly mainPart: string;
  /** Returns the tree of a part; undefined if the part is missing. The most recently used trees are cached. */
  xml(part: string): XmlElement | undefined;
  /** Streams a part to handlers without keeping it. Returns false if the part is missing. */
  scan(part: string, handlers: XmlHandlers): boolean;
  /** Returns the content of a part piece by piece; undefined if the part is missing. It does not count towards any limit. */
  pieces(part: string): Iterable<Uint8Array> | undefined;
  /** Scans a piece of a part that is well-formed on its own. */
  scanPiece(xml: string, part: string, handlers: XmlHandlers): void;
  /** Returns relationships by id; empty if the part has none. */
  relationships(part: string): ReadonlyMap<string, Relationship>;
  /** Returns the first related part of that type. */
  related(part: string, type: string): string | undefined;
  /** Returns the media type that the package declares for the part. */
  contentType(part: string): string | undefined;
}

// Transitional and Strict (ISO/IEC 29500-1) use different URIs for the same vocabularies.
const transitional = 'http://schemas.openxmlformats.org/';
const strict = 'http://purl.oclc.org/ooxml/';
const mapBothUris = (prefix: string, transitionalPath: string, strictPath: string): [string, string][] => [
  [transitional + transitionalPath, prefix],
  [strict + strictPath, prefix],
];
const prefixes: Record<string, string> = Object.fromEntries([
  ...mapBothUris('w', 'wordprocessingml/2006/main', 'wordprocessingml/main'),
  ...mapBothUris('a', 'drawingml/2006/main', 'drawingml/main'),
  ...mapBothUris('c', 'drawingml/2006/chart', 'drawingml/chart'),
  ...mapBothUris('pic', 'drawingml/2006/picture', 'drawingml/picture'),
  ...mapBothUris('wp', 'drawingml/2006/wordprocessingDrawing', 'drawingml/wordprocessingDrawing'),
  ...mapBothUris('xdr', 'drawingml/2006/spreadsheetDrawing', 'drawingml/spreadsheetDrawing'),
  ...mapBothUris('dgm', 'drawingml/2006/diagram', 'drawingml/diagram'),
  ...mapBothUris('p', 'presentationml/2006/main', 'presentationml/main'),
  ...mapBothUris('x', 'spreadsheetml/2006/main', 'spreadsheetml/main'),
  ...mapBothUris('m', 'officeDocument/2006/math', 'officeDocument/math'),
  ...mapBothUris('r', 'officeDocument/2006/relationships', 'officeDocument/relationships'),
  ...mapBothUris('ep', 'officeDocument/2006/extended-properties', 'officeDocument/extendedProperties'),
  [`${transitional}package/2006/relationships`, 'rel'],
  [`${transitional}package/2006/content-types`, 'ct'],
  [`${transitional}markup-compatibility/2006`, 'mc'],
  ['http://schemas.microsoft.com/office/visio/2012/main', 'vs'],
  ['urn:schemas-microsoft-com:vml', 'v'],
  ['urn:schemas-microsoft-com:office:excel', 'xvml'],
  ['http://schemas.microsoft.com/office/word/2010/wordml', 'w14'],
  ['http://schemas.microsoft.com/office/word/2010/wordprocessingShape', 'wps'],
  ['http://schemas.microsoft.com/office/word/2010/wordprocessingGroup', 'wpg'],
  ['http://schemas.microsoft.com/office/drawing/2008/diagram', 'dsp'],
]);

// Every slide requests its layout and master again; slides themselves are requested once.
const maxCachedTrees = 24;
// Table styles, extensions and style lists: large in some files, and no reader uses them.
const skippedElements: SkippedXml = new Map<string, true | ((attributes: Readonly<Record<string, string>>) => boolean)>(
  [
    ['w:style', (attributes) => attributes['w:type'] === 'table'],
    ['w:latentStyles', true],
    ['w:tblBorders', true],
    ['a:extLst', true],
    ['p:extLst', true],
    ['p:timing', true],
  ],
);

/** The error for a container without its main part. */
function createMainPartError(bytes: Uint8Array, mainPart: string | undefined): AppError {
  if (mainPart !== undefined)
    return new AppError(
      'DOCUMENT_CORRUPT',
      `The Office document is incomplete: its main part '${mainPart}' is missing.`,
    );
  const message =
    listDamagedEntries(bytes).length > 0
      ? 'The Office document is damaged: parts of its ZIP container are missing.'
      : 'The ZIP container is not an Office document: it names no main part.';
  return new AppError('DOCUMENT_CORRUPT', message);
}

/** Opens an Office Open XML file. Throws DOCUMENT_CORRUPT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_LARGE. */
export function openOoxml(bytes: Uint8Array, limits: ReadLimits): OoxmlPackage {
  refuseCompoundFile(bytes);
  const zip = openZip(bytes, limits);
  const trees = new Map<string, XmlElement | undefined>();
  const cachedRelationships = new Map<string, ReadonlyMap<string, Relationship>>();
  let findContentType: ((part: string) => string | undefined) | undefined;
  const buildOptions = (part: string) => ({ source: part, prefixes, maxDepth: limits.maxDepth, skip: skippedElements });

  function readXml(part: string): XmlElement | undefined {
    let tree = trees.get(part);
    // Deleted and set again, so that the first entry of the map is the least recently used.
    if (!trees.delete(part)) {
      const content = zip.read(part);
      tree = content === undefined ? undefined : parseXml(content, buildOptions(part));
    }
    trees.set(part, tree);
    if (trees.size > maxCachedTrees) trees.delete(trees.keys().next().value!);
    return tree;
  }
  function readRelationshipsOnce(part: string): ReadonlyMap<string, Relationship> {
    let relationships = cachedRelationships.get(part);
    if (relationships === undefined) {
      const slash = part.lastIndexOf('/') + 1;
      relationships = readRelationships(readXml(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`), part);
      cachedRelationships.set(part, relationships);
    }
    return relationships;
  }
  function findRelated(part: string, type: string): string | undefined {
    for (const relation of readRelationshipsOnce(part).values()) {
      if (relation.type === type && !relation.isExternal) return relation.target;
    }
    return undefined;
  }
  // Visio uses a different relationship name.
  const mainPart = findRelated('', 'officeDocument') ?? findRelated('', 'document');
  if (mainPart === undefined || !zip.has(mainPart)) throw createMainPartError(bytes, mainPart);
  return {
    zip,
    mainPart,
    xml: readXml,
    scan(part, handlers) {
      const content = zip.read(part);
      if (content !== undefined) scanXml(content, handlers, buildOptions(part));
      return content !== undefined;
    },
    pieces: (part) => zip.pieces(part),
    scanPiece: (piece, part, handlers) => scanXml(piece, handlers, buildOptions(part)),
    relationships: readRelationshipsOnce,
    related: findRelated,
    contentType: (part) => (findContentType ??= readContentTypes(readXml('[Content_Types].xml')))(part),
  };
}

function readContentTypes(root: XmlElement | undefined): (part: string) => string | undefined {
  /** By extension (`png`) and by part name (`/word/media/image1.png`). */
  const types = new Map<string, string | undefined>();
  for (const { attributes } of listElements(root, 'ct:Default')) {
    types.set((attributes['Extension'] ?? '').toLowerCase(), attributes['ContentType']);
  }
  for (const { attributes } of listElements(root, 'ct:Override')) {
    types.set((attributes['PartName'] ?? '').toLowerCase(), attributes['ContentType']);
  }
  return (part) => {
    const name = `/${part}`.toLowerCase();
    return types.get(name) ?? types.get(name.slice(name.lastIndexOf('.') + 1));
  };
}

/** Password-protected Office files and the binary formats before 2007 are OLE compound files, not ZIP. */
function refuseCompoundFile(bytes: Uint8Array): void {
  if (![0xd0, 0xcf, 0x11, 0xe0].every((byte, index) => bytes[index] === byte)) return;
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (stream: string) => content.includes(Buffer.from(stream, 'utf16le'));
  const isBinaryFormat = ['WordDocument', 'Workbook', 'PowerPoint Document'].some(has);
  if (isBinaryFormat && !has('EncryptedPackage')) {
    throw new AppError(
      'FORMAT_UNSUPPORTED',
      'The file is an Office document from before 2007 (a compound file), not Office Open XML.',
    );
  }
  throw new AppError('DOCUMENT_ENCRYPTED', 'The office document is protected by a password.');
}

function readRelationships(root: XmlElement | undefined, part: string): ReadonlyMap<string, Relationship> {
  const relationships = new Map<string, Relationship>();
  for (const { attributes } of listElements(root, 'rel:Relationship')) {
    const { Id: id, Type: type, Target: target } = attributes;
    if (id === undefined || type === undefined || target === undefined) continue;
    const external = attributes['TargetMode'] === 'External';
    relationships.set(id, {
      type: type.slice(type.lastIndexOf('/') + 1),
      target: external ? target : resolvePart(part, target),
      isExternal: external,
    });
  }
  return relationships;
}

function resolvePart(from: string, target: string): string {
  return resolvePartName(from, target.split('#')[0]!.replaceAll('\\', '/'));
}

/** Returns the pages (or slides) counted by the program that saved the file (`docProps/app.xml`); undefined if not stated. */
export function readPageCount(bytes: Uint8Array, limits: ReadLimits): number | undefined {
  const office = openOoxml(bytes, limits);
  const part = office.related('', 'extended-properties') ?? office.related('', 'extendedProperties');
  const properties = part === undefined ? undefined : office.xml(part);
  const value = joinText(findChild(properties, 'ep:Pages') ?? findChild(properties, 'ep:Slides')).trim();
  return /^\d{1,6}$/.test(value) && value !== '0' ? Number(value) : undefined;
}

/** Reads an on/off property: undefined if absent, true for an element without a value (ECMA-376 part 1, 17.17.4). */
export function readToggle(properties: XmlElement | undefined, name: string): boolean | undefined {
  const element = findChild(properties, name);
  if (element === undefined) return undefined;
  const value = element.attributes['w:val'];
  return value === undefined || !['0', 'false', 'off', 'none'].includes(value);
}
