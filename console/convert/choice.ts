/** The state of the conversion form. */
export interface Choice {
  withOcr: boolean;
  /** Codes, separated by commas. */
  languages: string;
  /** A page such as 3, or pages such as 1-5 or 3-. */
  pages: string;
  password: string;
  /** Whether the pages are shown beside the outputs; drawing the pages of a long document takes longer than reading them. */
  withPages: boolean;
}

/** The options that the console sends: `do_ocr` always, the others if they differ from their defaults. */
export interface ChosenOptions {
  do_ocr: boolean;
  ocr_lang?: string[];
  page_range?: [number, number];
  password?: string;
  image_export_mode?: 'embedded';
}

/** The state of a form that nobody has changed. */
export const defaultChoice: Choice = { withOcr: false, languages: '', pages: '', password: '', withPages: true };

/** First and last page; undefined if the text is not a page or a range of pages. */
export function readPages(text: string): [number, number] | undefined {
  // `3`, `1-5` or `3-`; without a last page, the range has no end.
  const [, first, dash, last] = /^(\d{1,6})(?:\s*([-–])\s*(\d{1,6})?)?$/.exec(text.trim()) ?? [];
  const from = Number(first ?? 0);
  const end = last ? Number(last) : Number.MAX_SAFE_INTEGER;
  const to = dash ? end : from;
  return from < 1 || to < from ? undefined : [from, to];
}

/** Larger documents have no pictures in their outputs: the reply contains them. */
const maxBytesWithPictures = 5_000_000;

/** True if the file is small enough to request the pictures of the document and of its pages. */
export function hasPictures(file: { size: number } | undefined): boolean {
  return file !== undefined && file.size <= maxBytesWithPictures;
}

/** The options of a request. Omits page ranges that cannot be parsed; the form reports them as mistakes. */
export function buildOptions(
  { withOcr, languages, pages, password }: Choice,
  file: { size: number } | undefined,
): ChosenOptions {
  const codes = languages.split(/[\s,;]+/).filter(Boolean);
  const range = readPages(pages);
  return {
    do_ocr: withOcr,
    ...(withOcr && codes.length > 0 ? { ocr_lang: codes } : {}),
    ...(range ? { page_range: range } : {}),
    ...(password === '' ? {} : { password }),
    ...(hasPictures(file) ? { image_export_mode: 'embedded' } : {}),
  };
}
