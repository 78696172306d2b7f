import type { Block } from '../../samples/texts';

/** The blocks as Markdown. */
export function writeMarkdown(blocks: readonly Block[]): string {
  return `${blocks.map(render).join('\n\n')}\n`;
}

function render(block: Block): string {
  if ('heading' in block) return `${'#'.repeat(block.level ?? 2)} ${block.heading}`;
  if ('text' in block) return block.text;
  if ('list' in block)
    return block.list.map((item, index) => `${block.ordered ? `${index + 1}.` : '-'} ${item}`).join('\n');
  if ('link' in block) return `See [${block.link}](${block.url}).`;
  if ('pageBreak' in block) return '---';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [head = [], ...rows] = block.table;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
