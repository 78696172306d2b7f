import type { RecordOmission } from '../coverage';
import { getBaseName } from '../format';
import { listDescendants, joinText, type XmlElement } from '../xml/xml';
import type { Zip } from '../zip/zip';
import type { OoxmlPackage } from './package';

/** Kinds of parts that readers ignore, by part name. */
const kinds: readonly (readonly [name: RegExp, kind: string])[] = [
  [/(?:^|\/)embeddings\//, 'embedded object'],
  [/(?:^|\/)vbaProject\.bin$/, 'macro'],
  [/(?:^|\/)activeX\/[^/]+\.xml$/, 'control'],
  [/(?:^|\/)media\/[^/]+\.(?:mp3|mp4|m4a|m4v|wav|wma|wmv|avi|mov|mpe?g)$/i, 'sound or film'],
  [/(?:^|\/)externalLinks\/[^/]+\.xml$/, 'linked workbook'],
];

/** Reports the parts that readers ignore. */
export function reportParts({ zip }: OoxmlPackage, recordOmission: RecordOmission | undefined): void {
  if (recordOmission === undefined) return;
  const behindCharts = listChartWorkbooks(zip);
  for (const name of zip.names) {
    const kind = kinds.find(([sign]) => sign.test(name))?.[1];
    if (kind !== undefined && !behindCharts.has(getBaseName(name))) recordOmission(kind);
  }
}

/** Returns the file names of the workbooks behind charts, whose data the charts show. */
export function listChartWorkbooks(zip: Zip): Set<string> {
  const workbooks = new Set<string>();
  for (const name of zip.names) {
    if (!/(?:^|\/)charts\/_rels\/[^/]+\.rels$/.test(name)) continue;
    const text = Buffer.from(zip.read(name) ?? []).toString('utf8');
    for (const [, target = ''] of text.matchAll(/Target="([^"]*embeddings\/[^"]*)"/g))
      workbooks.add(getBaseName(target));
  }
  return workbooks;
}

/** Reports the texts of the masters of notes and handouts, which are on printed pages only. */
export function reportPrintMasters(office: OoxmlPackage, recordOmission: RecordOmission | undefined): void {
  if (recordOmission === undefined) return;
  for (const { type, target } of office.relationships(office.mainPart).values()) {
    const master = type === 'notesMaster' || type === 'handoutMaster' ? office.xml(target) : undefined;
    for (const shape of master ? listDescendants(master, 'p:sp') : []) {
      // Placeholders only show what their text would look like.
      if (listDescendants(shape, 'p:ph').length > 0) continue;
      const text = listDescendants(shape, 'a:t').map(joinText).join(' ').trim();
      if (text !== '') recordOmission('master text', text);
    }
  }
}

/** Reports texts that were deleted or moved away while changes were tracked. */
export function reportDeleted(body: XmlElement, recordOmission: RecordOmission | undefined): void {
  if (recordOmission === undefined) return;
  const report = (deleted: XmlElement): void => {
    const text = [...listDescendants(deleted, 'w:delText'), ...listDescendants(deleted, 'w:t')].map(joinText).join('');
    if (text.trim() !== '') recordOmission('deleted text', text);
  };
  const visit = (parent: XmlElement): void => {
    for (const node of parent.children) {
      if (typeof node === 'string') continue;
      if (node.name === 'w:del' || node.name === 'w:moveFrom') report(node);
      visit(node);
    }
  };
  visit(body);
}

/** Reports sub-documents of a master document: separate files, which are not read. */
export function reportLinked(office: OoxmlPackage, recordOmission: RecordOmission | undefined): void {
  if (recordOmission === undefined) return;
  for (const { type } of office.relationships(office.mainPart).values())
    if (type === 'subDocument') recordOmission('linked document');
}
