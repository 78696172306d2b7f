import { createDocument } from '../../../document/builder';
import type { DoclingDocument } from '../../../document/model';
import { countNouns } from '../../../model/count-nouns';
import { AppError } from '../../../model/errors';
import type { RecordOmission } from '../../coverage';
import { type ReadOptions, getStem } from '../../format';
import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { createImages } from '../image';
import { openOoxml, type OoxmlPackage } from '../package';
import { reportParts } from '../unread';
import { readCellFormats } from './cell-format';
import type { CellTexts } from './cells';
import { readPlainComments } from './comments';
import { createFormulaBudget, createFormulaScanner, reportUnreadFormulas } from './formulas';
import { readGrid } from './grid';
import { readSharedStrings } from './shared-strings';
import { addSheets } from './sheet';
import type { SheetRef, WorkbookContext } from './workbook-context';

/** Reads a workbook: one group and one page per sheet, one table per connected range of cells. */
export function read(bytes: Uint8Array, options: ReadOptions): DoclingDocument {
  const office = openOoxml(bytes, options.limits);
  const workbook = readWorkbook(office);
  const builder = createDocument(getStem(options.name));
  const texts = readCellTexts(office, workbook, options.recordOmission);
  const budget = createFormulaBudget();
  let uncomputed = 0;
  const readSheet = (part: string) =>
    readGrid(office, part, texts, {
      formulas: options.includeFormulas === true ? createFormulaScanner(budget) : undefined,
      onUncomputed: () => (uncomputed += 1),
    });
  const context: WorkbookContext = {
    builder,
    office,
    sheets: listSheets(office),
    image: createImages(office),
    readGrid: readSheet,
    readComments: (part) => readPlainComments(office.xml(part)),
    grids: new Map(),
  };
  addSheets(context, options);
  reportParts(office, options.recordOmission);
  reportUncomputed(uncomputed, options);
  reportUnreadFormulas(budget, options.warn);
  return builder.document;
}

/** Counts formulas whose cells are empty because the program that wrote the file computed nothing. */
function reportUncomputed(count: number, { recordOmission, warn, includeFormulas }: ReadOptions): void {
  for (let index = 0; index < count; index += 1) recordOmission?.('formula without a result');
  if (count === 0) return;
  const advice = includeFormulas ? '' : ', or request formulas';
  warn?.(
    `${countNouns(count, 'formula')} without a stored result: the cells are empty. Save the file in a spreadsheet program${advice}.`,
  );
}

/** Reads the data that the texts of all cells depend on. */
export function readCellTexts(office: OoxmlPackage, workbook: XmlElement, recordOmission?: RecordOmission): CellTexts {
  const stylesPart = office.related(office.mainPart, 'styles');
  const starts1904 = ['1', 'true'].includes(findChild(workbook, 'x:workbookPr')?.attributes['date1904'] ?? '');
  return {
    strings: readSharedStrings(office, office.related(office.mainPart, 'sharedStrings'), recordOmission),
    formats: readCellFormats(stylesPart === undefined ? undefined : office.xml(stylesPart), starts1904),
  };
}

/** Returns the main part. Throws DOCUMENT_CORRUPT if it is not a workbook. */
export function readWorkbook(office: OoxmlPackage): XmlElement {
  const workbook = office.xml(office.mainPart);
  if (workbook?.name === 'x:workbook') return workbook;
  throw new AppError('DOCUMENT_CORRUPT', `${office.mainPart} holds no workbook (workbook was expected).`);
}

/** Lists the sheets in the order of the workbook. */
export function listSheets(office: OoxmlPackage): SheetRef[] {
  const relations = office.relationships(office.mainPart);
  return listElements(findChild(office.xml(office.mainPart), 'x:sheets'), 'x:sheet').map(({ attributes }, index) => ({
    name: attributes['name'] ?? `Sheet${index + 1}`,
    part: relations.get(attributes['r:id'] ?? '')?.target ?? '',
    isHidden: attributes['state'] === 'hidden' || attributes['state'] === 'veryHidden',
    pageNo: index + 1,
  }));
}
