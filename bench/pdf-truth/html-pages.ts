import { capital, longWord, paragraph, sentence, title } from '../support/prose';
import type { Random } from '../support/random';
import { stylesOfTables } from './table-styles';
import type { Truth, TruthBlock, TruthCell } from './truth';

/** A generated page as HTML with its expected text. */
export interface MadePage {
  html: string;
  truth: Truth;
  /** Printed with tags. */
  isTagged?: boolean;
}

const fonts = ['Liberation Serif', 'Liberation Sans', 'DejaVu Sans', 'DejaVu Serif'];

/** Generates pages of one kind; each has different numbers. */
export const htmlKinds: Record<string, (random: Random) => MadePage> = {
  ...Object.fromEntries(
    Object.keys(stylesOfTables).map((style) => [`table ${style}`, (random: Random) => createTablePage(random, style)]),
  ),
  'two columns': (random) => createColumnPage(random, 2),
  'three columns': (random) => createColumnPage(random, 3),
  cards: createCards,
  statement: createStatement,
  invoice: createInvoice,
  report: createReport,
  'side bar': createSideBar,
  justified: createJustified,
  form: createForm,
  'stacked heads': createStackedHeads,
  'framed table': createFramedTable,
};

/** Collects the text, once as HTML and once as truth. */
export class Page {
  readonly blocks: TruthBlock[] = [];
  html = '';

  add(html: string, ...blocks: TruthBlock[]): this {
    this.html += `${html}\n`;
    this.blocks.push(...blocks);
    return this;
  }
  heading(level: number, text: string): this {
    return this.add(`<h${level}>${text}</h${level}>`, { kind: 'heading', text });
  }
  text(text: string, attributes = ''): this {
    return this.add(`<p ${attributes}>${text}</p>`, { kind: 'text', text });
  }
  table(rows: TruthCell[][], heads = 1): this {
    const row = (cells: readonly TruthCell[], tag: string) =>
      `<tr>${cells.map(({ text, columns = 1, rows: high = 1 }) => `<${tag} colspan="${columns}" rowspan="${high}">${text}</${tag}>`).join('')}</tr>`;
    const [head, body] = [rows.slice(0, heads), rows.slice(heads)];
    const html = `<table><thead>${head.map((cells) => row(cells, 'th')).join('')}</thead><tbody>${body.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
    return this.add(html, { kind: 'table', rows });
  }
  build(kind: string, random: Random, css: string, furniture: string[] = []): MadePage {
    const style = `@page{size:A4;margin:22mm 20mm}body{font:${random.integer(10, 11)}pt '${fonts[random.integer(0, 3)]}';line-height:1.3;margin:0}${css}`;
    return {
      html: `<!doctype html><meta charset="utf-8"><style>${style}</style><body>${this.html}</body>`,
      truth: { kind, blocks: this.blocks, furniture },
    };
  }
}

const drawAmount = (random: Random) => random.integer(1_000, 999_999).toLocaleString('en-US');
const createCell = (text: string): TruthCell => ({ text });
const drawWords = (random: Random, count: number) =>
  capital(Array.from({ length: count }, () => longWord(random)).join(' '));

function createTablePage(random: Random, style: string): MadePage {
  const columns = random.integer(3, 6);
  const rows = Array.from({ length: random.integer(3, 9) }, () => [
    createCell(drawWords(random, random.integer(1, 3))),
    ...Array.from({ length: columns - 1 }, (_, index) =>
      createCell(index === 0 && random.chance(0.3) ? drawWords(random, 1) : drawAmount(random)),
    ),
  ]);
  const head = Array.from({ length: columns }, () => createCell(drawWords(random, 1)));
  const page = new Page().heading(1, title(random)).text(paragraph(random, 3));
  page.table([head, ...rows]).text(paragraph(random, 3));
  return page.build(`table ${style}`, random, `table{border-collapse:collapse}${stylesOfTables[style]}`);
}

/** Text in columns below a heading, and text below them. */
export function createColumnPage(random: Random, count: number): MadePage {
  const page = new Page().heading(1, title(random)).add('<div class="columns">');
  for (let section = 0; section < count + 1; section += 1) {
    page.heading(2, title(random).slice(0, 40));
    for (let index = 0; index < 2; index += 1)
      page.text(paragraph(random, random.integer(2, 5)), section === 0 && index === 0 ? 'class="first"' : '');
  }
  page.add('</div>').text(paragraph(random, 3), 'class="below"');
  const gap = random.integer(10, 28);
  const drop = random.chance(0.4)
    ? '.first::first-letter{font-size:300%;float:left;line-height:0.9;margin-right:3px}'
    : '';
  const justified = random.chance(0.6) ? 'text-align:justify;' : '';
  const css = `.columns{columns:${count};column-gap:${gap}px;${justified}}h2{font-size:12pt;margin:8px 0 4px;text-align:left}p{margin:0 0 6px}.below{margin-top:16px}${drop}`;
  return page.build(count === 2 ? 'two columns' : 'three columns', random, css);
}

/** A dashboard: figures in coloured or bordered boxes, with a chart's worth of boxes beside each other. */
function createCards(random: Random): MadePage {
  const page = new Page().heading(1, title(random)).text(sentence(random)).add('<div class="cards">');
  for (let index = random.integer(4, 12); index > 0; index -= 1) {
    const parts = [drawWords(random, 2), drawAmount(random), drawWords(random, random.integer(2, 8))];
    page.add(
      `<div class="card"><div class="name">${parts[0]}</div><div class="value">${parts[1]}</div><div class="more">${parts[2]}</div></div>`,
      ...parts.map((text): TruthBlock => ({ kind: 'text', text })),
    );
  }
  page.add('</div>').text(paragraph(random, 3));
  const look = ['background:#e8f0fe', 'border:1px solid #888', 'background:#fff3e0;border-left:4px solid #f80'];
  const css = `.cards{display:grid;grid-template-columns:repeat(${random.integer(2, 4)},1fr);gap:12px}.card{${look[random.integer(0, 2)]};border-radius:${random.integer(0, 1) * 8}px;padding:10px}.name{font-size:8pt}.value{font-size:${random.integer(12, 18)}pt;font-weight:bold}.more{font-size:8pt}`;
  return page.build('cards', random, css);
}

function createStatement(random: Random): MadePage {
  const years = Array.from({ length: random.integer(2, 3) }, (_, index) => 2025 - index);
  const line = (name: string): TruthCell[] => [createCell(name), ...years.map(() => createCell(drawAmount(random)))];
  const rows = [[createCell('In thousands of euros'), ...years.map((year) => createCell(`31 Dec ${year}`))]];
  for (let group = 0; group < 3; group += 1) {
    for (let index = random.integer(2, 4); index > 0; index -= 1)
      rows.push(line(drawWords(random, random.integer(1, 4))));
    rows.push(line(`Total ${longWord(random)}`));
  }
  rows.push(line('Net result'));
  const page = new Page().heading(1, 'Consolidated income statement').text(sentence(random));
  page.table(rows).text(paragraph(random, 2));
  const css =
    'table{width:100%;border-collapse:collapse}th,td{text-align:right;padding:3px 6px}th:first-child,td:first-child{text-align:left}thead th{border-bottom:1px solid #000}tbody tr:last-child td{background:#dde6f3;font-weight:bold}';
  return page.build('statement', random, css);
}

/** Articles with quantities and prices, the head light on dark. */
export function createInvoice(random: Random): MadePage {
  const page = new Page();
  const sender = `${drawWords(random, 2)} Ltd`;
  page.text(sender, 'style="font-weight:bold"').text(`${random.integer(1, 99)} ${drawWords(random, 1)} Road`);
  page.heading(1, `Invoice ${random.integer(1000, 9999)}`);
  const rows = [['Pos', 'Article', 'Quantity', 'Price', 'Amount'].map(createCell)];
  for (let index = 1; index <= random.integer(3, 7); index += 1)
    rows.push(
      [String(index), drawWords(random, 3), String(random.integer(1, 20)), drawAmount(random), drawAmount(random)].map(
        createCell,
      ),
    );
  rows.push(
    [{ text: 'Net', columns: 4 }, createCell(drawAmount(random))],
    [{ text: 'Total', columns: 4 }, createCell(drawAmount(random))],
  );
  page.table(rows).text(`Payable within ${random.integer(10, 40)} days. ${sentence(random)}`);
  const zebra = random.chance(0.5) ? 'tbody tr:nth-child(even){background:#eee}' : 'td{border-bottom:1px solid #ddd}';
  const css = `table{width:100%;border-collapse:collapse}th{background:#345;color:#fff}th,td{padding:5px 8px;text-align:right}th:nth-child(2),td:nth-child(2){text-align:left}p{margin:2px 0}td[colspan]{text-align:right!important}${zebra}`;
  return page.build('invoice', random, css);
}

/** Sections with nested lists under a running head, on one page. */
export function createReport(random: Random): MadePage {
  const page = new Page().heading(1, title(random));
  for (let section = 0; section < 2; section += 1) {
    page.heading(2, title(random)).text(paragraph(random, 3));
    const tag = random.chance(0.5) ? 'ul' : 'ol';
    page.add(`<${tag}>`);
    for (let index = random.integer(3, 5); index > 0; index -= 1) {
      const text = sentence(random);
      page.add(`<li>${text}`, { kind: 'item', text, depth: 0 });
      if (random.chance(0.3)) {
        const [one, two] = [sentence(random), sentence(random)];
        page.add(
          `<ul><li>${one}</li><li>${two}</li></ul>`,
          { kind: 'item', text: one, depth: 1 },
          { kind: 'item', text: two, depth: 1 },
        );
      }
      page.add('</li>');
    }
    page.add(`</${tag}>`);
  }
  const [head, foot] = [`${drawWords(random, 3)} ${random.integer(2019, 2025)}`, 'Page 1 of 1'];
  const css = `@page{@top-left{content:"${head}";font-size:8pt}@bottom-center{content:"${foot}";font-size:8pt}}`;
  return page.build('report', random, css, [head, foot]);
}

/** A boxed note beside the text. */
function createSideBar(random: Random): MadePage {
  const page = new Page().heading(1, title(random));
  const [name, note] = [drawWords(random, 2), paragraph(random, 2)];
  page.add(`<aside><b>${name}</b><p>${note}</p></aside>`, { kind: 'text', text: name }, { kind: 'text', text: note });
  for (let index = 0; index < 4; index += 1) page.text(paragraph(random, 4));
  const css =
    'aside{float:right;width:32%;background:#eef;border:1px solid #99c;padding:8px;margin:0 0 8px 12px;font-size:9pt}';
  return page.build('side bar', random, css);
}

/** Narrow justified text below letter-spaced headings. */
function createJustified(random: Random): MadePage {
  const page = new Page();
  for (let section = 0; section < 3; section += 1)
    page.heading(2, title(random)).text(paragraph(random, 4)).text(paragraph(random, 3));
  const css = `h2{letter-spacing:.${random.integer(15, 35)}em}p{text-align:justify;width:${random.integer(60, 100)}%}`;
  return page.build('justified', random, css);
}

/** Labels with values below each other, two beside each other in each row. */
function createForm(random: Random): MadePage {
  const page = new Page().heading(1, title(random));
  for (let row = 0; row < random.integer(4, 7); row += 1) {
    const fields = [0, 1].map(() => `${capital(longWord(random))}: ${drawWords(random, 2)}`);
    const html = fields.map((text) => `<span>${text}</span>`).join('');
    page.add(`<div>${html}</div>`, ...fields.map((text): TruthBlock => ({ kind: 'text', text })));
  }
  page.text(paragraph(random, 3));
  return page.build('form', random, 'div{display:flex;margin:8px 0}span{width:50%;border-bottom:1px solid #999}');
}

/** A financial table: heads of several lines at the foot of their row, a head over the years, figures that almost touch. */
function createStackedHeads(random: Random): MadePage {
  const years = random.integer(4, 6);
  const head = (index: number): TruthCell => createCell(`${capital(longWord(random))}<br>in ${2010 + index}`);
  const first = [
    { text: 'Region', rows: 2 },
    { text: title(random), columns: years },
  ];
  const rows = Array.from({ length: random.integer(6, 14) }, () => [
    createCell(drawWords(random, 2)),
    ...Array.from({ length: years }, () => createCell(random.integer(1_000_000, 9_999_999).toLocaleString('en-US'))),
  ]);
  const page = new Page().text(paragraph(random, 3));
  const heads = Array.from({ length: years }, (_, index) => head(index));
  page.table([first, heads, ...rows], 2).text(paragraph(random, 3));
  const table = page.blocks.find((block) => block.kind === 'table');
  if (table?.kind === 'table')
    table.rows = table.rows.map((cells) =>
      cells.map((truthCell) => ({ ...truthCell, text: truthCell.text.replace('<br>', ' ') })),
    );
  const css =
    'table{border-collapse:collapse;border-top:1px solid;border-bottom:1px solid;font-size:8pt}th{vertical-align:bottom}th,td{text-align:right;padding:1px 0 1px 5px}th:first-child,td:first-child{text-align:left}th[colspan]{text-align:center;border-bottom:1px solid}thead tr:last-child th,thead th[rowspan="2"]{border-bottom:1px solid}';
  return page.build('stacked heads', random, css);
}

/** A table with its title and notes in one frame, the body without rulings between its rows. */
function createFramedTable(random: Random): MadePage {
  const [name, note] = [`Table ${random.integer(1, 9)}. ${sentence(random)}`, `Note: ${paragraph(random, 2)}`];
  const page = new Page().text(paragraph(random, 3));
  const rows = [
    ['Place', 'Read', 'Sent', 'Lost'].map(createCell),
    ...Array.from({ length: random.integer(4, 9) }, () =>
      [drawWords(random, 2), drawAmount(random), drawAmount(random), drawAmount(random)].map(createCell),
    ),
  ];
  page.add('<section>').text(name).table(rows).text(note).add('</section>').text(paragraph(random, 3));
  const css =
    'section{border:1px solid}section p{margin:4px 6px}table{width:100%;border-collapse:collapse;border-top:1px solid;border-bottom:1px solid}th{border-bottom:1px solid}th,td{border-right:1px solid;padding:2px 6px;text-align:right}th:last-child,td:last-child{border-right:0}th:first-child,td:first-child{text-align:left}';
  return page.build('framed table', random, css);
}
