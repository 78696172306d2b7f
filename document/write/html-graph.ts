import { type GraphKey, listKeys } from '../graph-keys';
import type { FormItem, KeyValueItem } from '../model';

/** Writes a key-value region or form as a list: each key with its values, and the keys below it as a nested list. */
export function graphHtml(node: KeyValueItem | FormItem, escape: (text: string) => string): string {
  const formatItem = ({ text, values, below }: GraphKey): string => {
    const list = below.length === 0 ? '' : `\n<ul>\n${below.map(formatItem).join('\n')}\n</ul>\n`;
    if (values) return `<li><strong>${escape(text)}</strong>: ${escape(values.join(', '))}${list}</li>`;
    return `<li>${escape(text)}${list}</li>`;
  };
  const items = listKeys(node).map(formatItem);
  const name = node.label === 'form' ? 'form-container' : 'key-value-region';
  return items.length === 0 ? '' : `<div class="${name}">\n<ul class="${name}">\n${items.join('\n')}\n</ul>\n</div>`;
}
