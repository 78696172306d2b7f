import {
  AlignmentType,
  Document,
  ExternalHyperlink,
  HeadingLevel,
  LevelFormat,
  Packer,
  PageBreak,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import { repack } from './repack';
import type { Block } from './texts';

const headings = [HeadingLevel.HEADING_1, HeadingLevel.TITLE, HeadingLevel.HEADING_1, HeadingLevel.HEADING_2] as const;

/** A Word document with a title, headings, lists, tables and links. The same blocks give the same bytes. */
export async function writeDocx(title: string, blocks: readonly Block[]): Promise<Uint8Array> {
  const document = new Document({
    title,
    creator: 'Brackwater Instruments Ltd',
    numbering: {
      config: [
        {
          reference: 'numbers',
          levels: [{ level: 0, format: LevelFormat.DECIMAL, text: '%1.', alignment: AlignmentType.LEFT }],
        },
      ],
    },
    sections: [{ children: blocks.flatMap(createParagraphs) }],
  });
  return repack(await Packer.toBuffer(document));
}

function createParagraphs(block: Block): (Paragraph | Table)[] {
  if ('heading' in block) return [new Paragraph({ text: block.heading, heading: headings[block.level ?? 2] })];
  if ('text' in block) return [new Paragraph({ text: block.text })];
  if ('list' in block) {
    return block.list.map(
      (text) =>
        new Paragraph({
          text,
          ...(block.ordered ? { numbering: { reference: 'numbers', level: 0 } } : { bullet: { level: 0 } }),
        }),
    );
  }
  if ('link' in block)
    return [
      new Paragraph({
        children: [
          new ExternalHyperlink({ link: block.url, children: [new TextRun({ text: block.link, style: 'Hyperlink' })] }),
        ],
      }),
    ];
  if ('pageBreak' in block) return [new Paragraph({ children: [new PageBreak()] })];
  return [createTable(block.table)];
}

function createTable(rows: readonly (readonly string[])[]): Table {
  return new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    rows: rows.map(
      (row, index) =>
        new TableRow({
          tableHeader: index === 0,
          children: row.map((text) => new TableCell({ children: [new Paragraph({ text })] })),
        }),
    ),
  });
}
