import type { Detection, PageModels, ShareBox, TablePartLabel } from '../../../model/page/page-models';
import { at, line, pageHeight, pageWidth, readSeen, region } from '../page-model-test-support';
import { type Drawing, grid, labelled, ruledTable } from '../pdf-test-support';

describe('parts of a table from a table model', () => {
  const part = (label: TablePartLabel, x0: number, y0: number, x1: number, y1: number, score = 0.9) => ({
    label,
    score,
    box: { x0, y0, x1, y1 },
  });
  // The crop has a margin of ten points around the table of 300 by 100 points.
  const x = (share: number) => (10 + 300 * share) / 320;
  const y = (share: number) => (10 + 100 * share) / 120;
  const columns = [0, 1, 2].map((index) => part('column', x(index / 3), y(0), x((index + 1) / 3), y(1)));
  const rows = [0, 1, 2, 3].map((index) => part('row', x(0), y(index / 4), x(1), y((index + 1) / 4)));
  const content = (pdf: Drawing) => {
    line(pdf, 'Levels of 2024', 130, 106);
    ['Pier', 'Low', 'High'].forEach((text, column) => line(pdf, text, 104 + 100 * column, 131));
    line(pdf, 'Inner harbour', 104, 156);
    ['North', '3.1', '4.2'].forEach((text, column) => line(pdf, text, 104 + 100 * column, 181));
    line(pdf, 'Below the table.', 104, 300);
  };
  const layout = () =>
    Promise.resolve([region('table', at(100, 100, 300, 100)), region('text', at(100, 296, 200, 20))]);
  const seeing = (...parts: Detection<TablePartLabel>[]): PageModels => ({
    layout,
    tables: () => Promise.resolve(parts),
  });

  test('rows, columns, merged cells, headers and section rows make the grid', async () => {
    const document = await readSeen(
      content,
      seeing(
        ...columns,
        ...rows,
        part('spanning_cell', x(0), y(0), x(1), y(0.25)),
        part('column_header', x(0), y(0), x(1), y(0.5)),
        part('projected_row_header', x(0), y(0.5), x(1), y(0.75)),
      ),
    );
    const { data } = document.tables[0]!;
    expect([data.num_rows, data.num_cols]).toEqual([4, 3]);
    expect(
      data.table_cells.map((cell) => [
        cell.text,
        cell.start_row_offset_idx,
        cell.start_col_offset_idx,
        cell.row_span,
        cell.col_span,
        cell.column_header,
        cell.row_section,
      ]),
    ).toEqual([
      ['Levels of 2024', 0, 0, 1, 3, true, false],
      ['Pier', 1, 0, 1, 1, true, false],
      ['Low', 1, 1, 1, 1, true, false],
      ['High', 1, 2, 1, 1, true, false],
      ['Inner harbour', 2, 0, 1, 3, false, true],
      ['North', 3, 0, 1, 1, false, false],
      ['3.1', 3, 1, 1, 1, false, false],
      ['4.2', 3, 2, 1, 1, false, false],
    ]);
    expect(labelled(document, 'text')).toEqual(['Below the table.']);
  });

  test('duplicate parts count once; uncertain and empty parts are ignored', async () => {
    const document = await readSeen(
      content,
      seeing(
        ...columns,
        ...rows,
        part('row', x(0), y(0.02), x(1), y(0.24), 0.7),
        part('column', x(0.95), y(0), x(1), y(1), 0.95),
        part('row', x(0), y(0.4), x(1), y(0.6), 0.4),
      ),
    );
    const { data } = document.tables[0]!;
    expect([data.num_rows, data.num_cols]).toEqual([4, 3]);
    expect(grid(document)[3]).toEqual(['North', '3.1', '4.2']);
  });

  test('words between or beside the rows go into the nearest cell', async () => {
    const document = await readSeen(content, seeing(...columns, ...rows.slice(1, 3)));
    expect(grid(document)).toEqual([
      ['Levels of 2024 Pier', 'Low', 'High'],
      ['Inner harbour North', '3.1', '4.2'],
    ]);
  });

  test('without rows and columns the rules define the table', async () => {
    const rules = await readSeen(content, { layout });
    const nothing = await readSeen(content, seeing(part('table', x(0), y(0), x(1), y(1))));
    expect(nothing.tables[0]?.data).toEqual(rules.tables[0]?.data);
  });

  test('without a layout model, a table found by rules is passed to the table model too', async () => {
    const boxes: ShareBox[] = [];
    const tables = (_page: unknown, box: ShareBox) => {
      boxes.push(box);
      return Promise.resolve([part('column', 0, 0, 1, 1), part('row', 0, 0, 1, 0.5), part('row', 0, 0.5, 1, 1)]);
    };
    const document = await readSeen(
      (pdf) =>
        ruledTable(
          pdf,
          [
            ['Pier', 'Level'],
            ['North', '4.1'],
          ],
          { x: 72, y: 72, width: 100, height: 20 },
        ),
      { tables },
    );
    expect(boxes).toHaveLength(1);
    expect(boxes[0]?.x0).toBeCloseTo(62 / pageWidth, 2);
    expect(boxes[0]?.y1).toBeCloseTo(122 / pageHeight, 2);
    expect(grid(document)).toEqual([['Pier Level'], ['North 4.1']]);
  });
});
