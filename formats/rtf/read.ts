import { createDocument, type DocumentBuilder } from '../../document/builder';
import { tableCell } from '../../document/grid';
import type { GroupItem } from '../../document/model';
import { runsOn } from '../../document/run-on';
import { AppError } from '../../model/errors';
import { findLargest } from '../extremes';
import { type ReadDocument, getStem } from '../format';
import { type Block, type Paragraph, readBlocks, type Run } from './blocks';

/** Reads RTF: headings by outline level, formatting, links, lists, tables, footnotes, headers and footers, notes. */
export const read: ReadDocument = (bytes, { name, limits, recordOmission, warn }) => {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (content.subarray(0, 5).toString('latin1') !== '{\\rtf') {
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' is not RTF: it does not begin with {\\rtf.`);
  }
  const { blocks, pictures, objects, isCut } = readBlocks(content, limits.maxDepth);
  if (isCut) warn?.(`The last group of '${name}' is not closed: the end of the file may be missing.`);
  const builder = createDocument(getStem(name));
  for (let count = 0; count < pictures; count += 1) recordOmission?.('picture');
  for (let count = 0; count < objects; count += 1) recordOmission?.('embedded object');
  addBlocks(builder, blocks);
  return builder.document;
};

const labels = { header: 'page_header', footer: 'page_footer', note: 'text', footnote: 'footnote' } as const;

function addBlocks(builder: DocumentBuilder, blocks: readonly Block[]): void {
  let list: GroupItem | undefined;
  for (const block of blocks) {
    if (block.kind === 'table') {
      list = undefined;
      addTable(builder, block.rows);
      continue;
    }
    const runs = trimRuns(block.runs);
    const text = runs.map((run) => run.text).join('');
    if (text === '') continue;
    if (block.kind !== 'body') {
      const layer = block.kind === 'note' ? 'notes' : 'furniture';
      builder.text(labels[block.kind], text, block.kind === 'footnote' ? {} : { layer });
      continue;
    }
    if (block.marker !== undefined) {
      list ??= builder.group('list');
      const enumerated = /[\p{L}\p{N}]/u.test(block.marker);
      const marker = enumerated ? block.marker : '';
      if (runs.length === 1) builder.listItem(text, { ...runs[0]!, parent: list, enumerated, marker });
      else addRuns(builder, runs, builder.listItem('', { parent: list, enumerated, marker }));
      continue;
    }
    list = undefined;
    if (block.level !== undefined) builder.heading(block.level + 1, text);
    else if (runs.length === 1) builder.text('text', text, runs[0]);
    else addRuns(builder, runs, undefined);
  }
}

function addRuns(
  builder: DocumentBuilder,
  runs: readonly Run[],
  item: ReturnType<DocumentBuilder['listItem']> | undefined,
) {
  const group = builder.group('inline', item ? { parent: item } : {});
  for (const [index, run] of runs.entries()) {
    const { text, formatting, hyperlink } = run;
    const isRunOn = runsOn(runs[index - 1], run);
    builder.text('text', text.trim(), { parent: group, formatting, hyperlink, isRunOn });
  }
}

/** Merges runs with the same style, removes blank ones and trims the ends. */
function trimRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    const canMerge =
      last !== undefined &&
      last.hyperlink === run.hyperlink &&
      (run.text.trim() === '' || JSON.stringify(last.formatting) === JSON.stringify(run.formatting));
    if (canMerge) last.text += run.text;
    else if (last !== undefined || run.text.trim() !== '') joined.push({ ...run });
  }
  const trimmed = joined.filter(({ text }) => text.trim() !== '');
  if (trimmed[0]) trimmed[0].text = trimmed[0].text.trimStart();
  const last = trimmed.at(-1);
  if (last) last.text = last.text.trimEnd();
  return trimmed;
}

function addTable(builder: DocumentBuilder, rows: readonly Paragraph[][][]): void {
  const width = findLargest(rows.map((row) => row.length));
  if (width < 1) return;
  const cells = rows.flatMap((row, number) =>
    Array.from({ length: width }, (_, column) => {
      const lines = (row[column] ?? []).map(({ runs }) =>
        runs
          .map(({ text }) => text)
          .join('')
          .trim(),
      );
      const text = lines.filter((line) => line !== '').join('\n');
      return tableCell(number, column, text, { column_header: number === 0 });
    }),
  );
  builder.table({ table_cells: cells, num_rows: rows.length, num_cols: width });
}
