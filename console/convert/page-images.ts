/** The picture of a page as a data URI. */
export interface PageImage {
  number: number;
  uri: string;
}

type Pages = Readonly<Record<string, { image?: { uri?: unknown } | null }>>;

/**
 * The pictures of pages in the JSON of a document, by page number. Addresses that are not data URIs of pictures are
 * omitted.
 */
export function readPageImages(json: unknown): PageImage[] {
  return Object.entries(getPages(json))
    .map(([number, page]) => ({ number: Number(number), uri: page.image?.uri }))
    .filter((image): image is PageImage => /^data:image\/(png|jpeg|webp);base64,/.test(String(image.uri)))
    .toSorted((image, other) => image.number - other.number);
}

/** The bytes of the picture. */
export function getImageBytes({ uri }: PageImage): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(uri.slice(uri.indexOf(',') + 1)), (character) => character.charCodeAt(0));
}

/** The JSON without the pictures of its pages, which the console requests for itself. */
export function omitPageImages(json: unknown): unknown {
  const pages = Object.entries(getPages(json));
  if (pages.every(([, { image }]) => image === undefined)) return json;
  return {
    ...(json as object),
    pages: Object.fromEntries(pages.map(([number, { image: _image, ...page }]) => [number, page])),
  };
}

/** Shortens data URIs, so that a text with pictures can be read. */
export function shortenDataUris(text: string): string {
  return text.replaceAll(
    /(data:[\w/+.-]+;base64,)([A-Za-z0-9+/=]{200,})/g,
    (_, start: string, data: string) => `${start}… (${Math.ceil((data.length * 3) / 4 / 1_024)} KiB)`,
  );
}

function getPages(json: unknown): Pages {
  const { pages } = (typeof json === 'object' && json !== null ? json : {}) as { pages?: unknown };
  return typeof pages === 'object' && pages !== null ? (pages as Pages) : {};
}
