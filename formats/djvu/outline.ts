import type { Bookmark } from '../pdf/geometry/page';
import { createCursor } from './cursor';
import type { Component } from './directory';

const maxBookmarks = 20_000;

/**
 * Reads the outline of a document (DjVu 3 specification, 8.3.3). `pages` are the components that are pages, in order. Throws
 * DOCUMENT_CORRUPT.
 */
export function readOutline(data: Buffer, pages: readonly Component[], maxDepth: number): Bookmark[] {
  const cursor = createCursor(data, 'The outline');
  const count = Math.min(cursor.number(2), maxBookmarks);
  const findPage = createPageLookup(pages);
  const bookmarks: Bookmark[] = [];
  /** Number of entries still to come on each level. */
  const open: number[] = [];
  while (bookmarks.length < count && !cursor.isAtEnd()) {
    const children = cursor.number(1);
    const title = cursor.take(cursor.number(3)).toString('utf8');
    const target = cursor.take(cursor.number(3)).toString('utf8');
    bookmarks.push({ title: title.trim(), level: Math.min(open.length, maxDepth) + 1, pageNo: findPage(target) });
    if (open.length > 0) open[open.length - 1]! -= 1;
    if (children > 0) open.push(children);
    while (open.at(-1) === 0) open.pop();
  }
  return bookmarks;
}

/** Returns a lookup of the page of `#name` or `#number`. */
function createPageLookup(pages: readonly Component[]): (target: string) => number | undefined {
  const numbers = new Map<string, number>();
  for (const names of [pages.map(({ title }) => title), pages.map(({ file }) => file), pages.map(({ id }) => id)])
    for (const [index, name] of names.entries()) numbers.set(name, index + 1);
  return (target) => {
    if (!target.startsWith('#')) return undefined;
    const name = target.slice(1).replace(/\?.*$/s, '');
    const number = numbers.get(name) ?? Number(/^\d+$/.test(name) ? name : Number.NaN);
    return number >= 1 && number <= pages.length ? number : undefined;
  };
}
