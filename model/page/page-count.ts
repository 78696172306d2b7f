/** The numbers of finished and requested pages of a document. */
export interface PageCount {
  done: number;
  total: number;
}

/** The sum over the documents that are being read. */
export interface PagesOfDocuments extends PageCount {
  documents: number;
}

/** Adds up documents that are being read at the same time; undefined if there are none. */
export function sumPages(counts: Iterable<PageCount>): PagesOfDocuments | undefined {
  const sum: PagesOfDocuments = { documents: 0, done: 0, total: 0 };
  for (const { done, total } of counts) {
    sum.documents += 1;
    sum.done += done;
    sum.total += total;
  }
  return sum.documents > 0 ? sum : undefined;
}
