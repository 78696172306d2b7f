/** Returns the content of the body of a page as written; the whole page without a body. */
export function extractBody(page: string): string {
  const start = /<body\b[^>]*>/i.exec(page);
  const from = start ? start.index + start[0].length : 0;
  const end = page.toLowerCase().lastIndexOf('</body');
  return page.slice(from, end >= from ? end : undefined);
}
