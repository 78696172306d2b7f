import { inflateSync } from 'node:zlib';
import type { DoclingDocument, PictureItem } from '../../../document/model';
import type { RecordOmission } from '../../coverage';
import type { ReadOptions } from '../../format';
import { type ArtRecord, findChild, readChildren } from '../art-records';
import type { Presentation } from './records';

/** Object list, embedded object, its atom, its names, and its storage (MS-PPT 2.10.1, 2.10.27, 2.10.12, 2.10.34). */
const records = { list: 0x409, embedded: 0xfcc, atom: 0xfc3, name: 0xfba, storage: 0x1011 } as const;
/** Instance 1 marks a compressed storage, which starts with its length. */
const compressed = 1;
const maxObjectBytes = 64 * 1024 * 1024;

/** The content of a chart, as `meta` of a picture. */
export type ChartMeta = PictureItem['meta'];

interface EmbeddedObject {
  id: number;
  program: string;
  storage: ArtRecord | undefined;
}

/**
 * Returns the charts among the embedded objects by number: those of Microsoft Graph, and those of Excel if the workbook has
 * only one chart. All other objects are reported as omitted.
 */
export async function readCharts(
  presentation: Presentation,
  options: ReadOptions,
): Promise<ReadonlyMap<number, ChartMeta>> {
  const charts = new Map<number, ChartMeta>();
  for (const object of listObjects(presentation)) {
    const chart = /^(?:MSGraph|Excel)\.Chart/.test(object.program) ? await readChart(object, options) : undefined;
    if (chart) charts.set(object.id, chart);
    else options.recordOmission?.('embedded object');
  }
  return charts;
}

function listObjects({ document, persisted }: Presentation): EmbeddedObject[] {
  const list = findChild(document, records.list);
  return (list === undefined ? [] : readChildren(list)).flatMap((object): EmbeddedObject[] => {
    const atom = findChild(object, records.atom)?.data;
    if (object.type !== records.embedded || atom === undefined || atom.length < 20) return [];
    // The names used in menus, by the program, and on the clipboard.
    const names = readChildren(object).filter(({ type }) => type === records.name);
    const program = names.find(({ instance }) => instance === 2)?.data.toString('utf16le') ?? '';
    const storage = persisted(atom.readUInt32LE(16));
    return [{ id: atom.readUInt32LE(8), program, storage: storage?.type === records.storage ? storage : undefined }];
  });
}

async function readChart({ storage }: EmbeddedObject, options: ReadOptions): Promise<ChartMeta | undefined> {
  if (storage === undefined) return undefined;
  try {
    const bytes =
      storage.instance === compressed
        ? inflateSync(storage.data.subarray(4), { maxOutputLength: maxObjectBytes })
        : storage.data;
    const { read } = await import('../xls/read');
    const ignoreOmissions: RecordOmission = () => undefined;
    const { pictures }: DoclingDocument = read(bytes, {
      ...options,
      name: 'chart.xls',
      recordOmission: ignoreOmissions,
    });
    const charts = pictures.filter(({ meta }) => meta && 'tabular_chart' in meta);
    return charts.length === 1 ? charts[0]!.meta : undefined;
  } catch {
    // A damaged object does not fail the presentation; it is counted.
    return undefined;
  }
}
