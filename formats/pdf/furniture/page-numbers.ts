import type { Line } from '../text/line';

/** "Page" in many languages, as it stands before a number. */
const label =
  'page|seite|p\\.|página|pagina|side|sida|sivu|strona|str\\.|strana|stránka|страница|стр\\.|сторінка|sayfa|σελίδα|halaman|trang|صفحة|עמוד';
const total = String.raw`\s*(?:of|von|\/|sur|de|di|van|av|af|z|ze|од|od|из|із|din|από|dari|من|מתוך)\s*\d{1,5}`;
/** A page number, alone or with a total; in books also after the chapter or appendix: A-3, ES-8, 5-15, 5 - 3. */
const pageNumber = new RegExp(
  String.raw`^(?:(?:${label})\s*)?[-–(]?\s*(?:\d{1,5}|[ivxlc]{1,7}|(?:[a-z]{1,3}|\d{1,2})\s?-\s?\d{1,4})\s*[-–)]?(?:${total})?$`,
  'i',
);
/** A page number with its label and a total: "Page 3 of 9". */
const countedNumber = new RegExp(String.raw`^(?:${label})\s*\d{1,5}${total}$`, 'i');
/** The same where the label follows the number or is on both sides of it: "第 3 页 共 9 页", "3 / 9 ページ", "3 / 9 페이지". */
const numberBeforeLabel =
  /^(?:第\s?)?\d{1,5}\s?(?:\/\s?\d{1,5}\s?)?(?:页|頁|ページ|페이지|쪽)(?:[\s,，/]*共\s?\d{1,5}\s?(?:页|頁))?$/;
/** What browsers print at the page edges: the address, the date and time, or the page number with a total. */
const printed = new RegExp(
  String.raw`^(?:https?:\/\/\S+|\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?\s+\d{1,2}:\d{2}(?:\s?[ap]m)?|\d{1,5}${total})$`,
  'i',
);

/** True for a page number, alone or with a total. Ornaments around the number are ignored: stars, dots and bars. */
export function isPageNumber({ text }: Line): boolean {
  const plain = text.replaceAll(/^[·•★|*~\s]+|[·•★|*~\s]+$/g, '');
  return pageNumber.test(plain) || numberBeforeLabel.test(plain);
}

/** True for a page number with a label and a total. */
export function isCountedNumber({ text }: Line): boolean {
  const plain = text.trim();
  return countedNumber.test(plain) || (numberBeforeLabel.test(plain) && /\d\D+\d/.test(plain));
}

/** True for a page number other than the first of its document or chapter. */
export function isLaterNumber({ text }: Line): boolean {
  const number = /(\d+)\D*$/.exec(text)?.[1];
  return number !== undefined && Number(number) > 1;
}

/** True for an address, a time or a number with a total, as browsers print them. */
export function isPrinted({ text }: Line): boolean {
  return printed.test(text.trim());
}

/** One or two numbers between ornaments: — 3 —, [3], 5–15, 3 | 9. Amounts have points, commas or signs of money and shares. */
const ornamented = /^[^\p{L}\p{N}\p{Sc}.,%+]*\d{1,5}(?:\s?[-–—|/]\s?\d{1,5})?[^\p{L}\p{N}\p{Sc}.,%+]*$/u;

/**
 * The text with its numbers masked, so that "Page 3" and "Page 4" are equal. A number alone is equal on pages that it counts, and if
 * it is the same. Amounts are not masked: $9,497 and $3,105 are different cells of a table.
 */
export function maskNumbers(line: Line, pageNo: number): string[] {
  const text = line.text.replace(/\s+/g, ' ').trim();
  if (/^\d+$/.test(text)) return [text, `#${Number(text) - pageNo}`];
  if (!/\p{L}/u.test(text) && !isPageNumber(line) && !ornamented.test(text)) return [text];
  return [text.replace(/\d+/g, '#').replace(/^[ivxlc]+$/i, '#')];
}
