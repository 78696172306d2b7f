/**
 * Message types of iWork archives. Apple has not published them; authors of converters found them in documents. Numbers below 200
 * and from 10,000 on have another meaning in each of the three programs.
 */
export const types = {
  author: 212,
  customFormats: 222,
  caption: 633,
  storage: 2_001,
  attachment: 2_003,
  note: 2_008,
  shape: 2_011,
  commentField: 2_013,
  characterStyle: 2_021,
  paragraphStyle: 2_022,
  listStyle: 2_023,
  link: 2_032,
  image: 3_005,
  movie: 3_007,
  group: 3_008,
  comment: 3_056,
  chart: 5_021,
  tableInfo: 6_000,
  tableModel: 6_001,
  tile: 6_002,
  dataList: 6_005,
  popUpMenu: 6_206,
  mergeRegions: 6_144,
  packageMetadata: 11_006,
} as const;

/** Message types of Pages only. */
export const pagesTypes = { document: 10_000, pageMaster: 10_011, headersAndFooters: 10_143 } as const;

/** Message types of Keynote only. A template slide has the second number. */
export const keynoteTypes = {
  document: 1,
  show: 2,
  slideNode: 4,
  slide: 5,
  templateSlide: 6,
  placeholder: 7,
  note: 15,
} as const;

/** Message types of Numbers only. */
export const numbersTypes = { document: 1, sheet: 2, placeholder: 7 } as const;

/** Placeholders of slides and sheets have the same type. */
export const placeholder = keynoteTypes.placeholder;
