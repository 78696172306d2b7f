import type { ApiServices } from '../../../api/services';

const view = { page: 1, width: 600, height: 800, items: [], markdown: [] };

/** Pages of documents in memory: each has one, and every picture is the same. */
export function memoryPages(): ApiServices['pageViews'] {
  return {
    draw: async (_source, page) =>
      page > 1 ? undefined : { png: Buffer.from('a picture'), pages: 1, words: [{ text: 'lost', box: [1, 2, 3, 4] }] },
    renderHtml: async ({ load, name }) => {
      await load();
      return `<!DOCTYPE html><p>${name.replaceAll('<', '&lt;')}</p>`;
    },
    readTexts: async ({ load }) => {
      await load();
      return {
        overview: JSON.stringify({
          kind: 'pages',
          pages: [{ page: 1, width: 600, height: 800, items: 0 }],
          headings: [],
        }),
        pages: { 1: JSON.stringify(view) },
      };
    },
  };
}

/** An index with a document per user, whose id contains the user's name and which only that user can read. */
export function memoryHoldings(): ApiServices['indexHoldings'] {
  return {
    listHoldings: async (documentId) => {
      const [, reader] = /^of-(\w+)$/.exec(documentId) ?? [];
      return reader === undefined
        ? { records: 0, readers: [], principals: [], denied: [], indexes: [], accessRule: undefined }
        : {
            records: 2,
            readers: [{ user: reader, records: 2 }],
            principals: [],
            denied: [],
            indexes: [{ name: 'i', records: 2 }],
            accessRule: 'access_list',
          };
    },
    judge: async (documentId, { username }) => {
      const [, reader] = /^of-(\w+)$/.exec(documentId) ?? [];
      const named = reader === username ? 2 : 0;
      const others = { allowedBy: [], deniedBy: [], denying: 0, forGroups: 0 };
      const records = reader === undefined ? 0 : 2;
      return { records, readable: named, named, ...others, accessRule: 'access_list' };
    },
  };
}
