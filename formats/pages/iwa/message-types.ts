/**
 * Message types of iWork's archives. Apple has published none of them; they are those that the writers of converters found
 * in documents.
 */
export const types = {
  document: 10_000,
  pageMaster: 10_011,
  headersAndFooters: 10_143,
  packageMetadata: 11_006,
  author: 212,
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
  group: 3_008,
  comment: 3_056,
  tableInfo: 6_000,
  tableModel: 6_001,
  tile: 6_002,
  dataList: 6_005,
} as const;
