import { createDocument } from '../builder';
import type { NodeItem } from '../model';
import { splitItems } from './split-items';

function texts(count: number): NodeItem[] {
  const builder = createDocument('lines');
  for (let at = 0; at < count; at++) builder.text('text', `line ${at}`);
  return builder.document.texts;
}
const nameOf = (item: NodeItem | undefined) => item?.self_ref;

test('each part of a paragraph with many lines has only its own lines', () => {
  const items = texts(200);
  const text = items.map((_, at) => `**line ${at}**`).join(' ');
  const cut = text.indexOf(' **line 120');
  const [first = [], second = []] = splitItems(text, [text.slice(0, cut), text.slice(cut + 1)], items);
  expect([first.length, nameOf(first[0]), nameOf(first.at(-1))]).toEqual([120, '#/texts/0', '#/texts/119']);
  expect([nameOf(second[0]), nameOf(second.at(-1))]).toEqual(['#/texts/119', '#/texts/199']);
});

test('a line that is split is in both parts', () => {
  const items = texts(150);
  const text = items.map((_, at) => `line ${at}`).join(' ');
  const cut = text.indexOf(' 100 ');
  const parts = splitItems(text, [text.slice(0, cut), text.slice(cut + 1)], items);
  expect(parts.map((part) => part.map(nameOf).includes('#/texts/100'))).toEqual([true, true]);
});

test('few items stay whole in each part', () => {
  const items = texts(3);
  expect(splitItems('line 0 line 1 line 2', ['line 0', 'line 1 line 2'], items)).toEqual([items, items]);
});
