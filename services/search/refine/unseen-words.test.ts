import type { Hits } from '../hits';
import { findUnseenWords } from './unseen-words';

const show = (...contents: string[]): Hits => ({
  hits: {
    total: { value: contents.length },
    hits: contents.map((content, at) => ({ _id: `${at}`, _index: 'i', _source: { title: 'A Title', content } })),
  },
});

test.each([
  ['tide gauges', ['Tide gauges measure.'], []],
  ['tide gauges', ['The TIDE comes.', 'and (gauges)'], []],
  ['tide gauges', ['tidewater, low-tide', 'gauges_2'], ['gauges']],
  ['tide', ['untide tides tide_2 tidé'], ['tide']],
  ['title', ['nothing'], []],
  ['tide', [], ['tide']],
])('of the question %s, hits with the texts %j lack the words %j', (query, contents, unseen) => {
  expect(findUnseenWords(show(...contents), { query })).toEqual(unseen);
});
