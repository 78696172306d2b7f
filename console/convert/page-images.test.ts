import { getImageBytes, readPageImages, shortenDataUris, omitPageImages } from './page-images';

const uri = 'data:image/png;base64,AAAA';
const json = {
  name: 'd',
  pages: { '10': { page_no: 10, image: { uri } }, '2': { page_no: 2, image: { uri } }, '3': { page_no: 3 } },
};

test('pictures are in the order of the pages; the JSON without them keeps the rest', () => {
  expect(readPageImages(json).map(({ number }) => number)).toEqual([2, 10]);
  expect(omitPageImages(json)).toEqual({
    name: 'd',
    pages: { '10': { page_no: 10 }, '2': { page_no: 2 }, '3': { page_no: 3 } },
  });
});

test.each([undefined, null, 'text', { pages: null }, { pages: { '1': {} } }])('%j has no pictures', (value) => {
  expect(readPageImages(value)).toEqual([]);
  expect(omitPageImages(value)).toBe(value);
});

test('addresses that are not pictures are not shown', () => {
  for (const address of ['https://example.org/a.png', 'javascript:alert(1)', 'data:text/html;base64,AAAA', 7])
    expect(readPageImages({ pages: { '1': { image: { uri: address } } } })).toEqual([]);
});

test('the bytes of a picture', () => {
  expect([...getImageBytes({ number: 1, uri: 'data:image/png;base64,AQL/' })]).toEqual([1, 2, 255]);
});

test('long data URIs are shortened, short ones are not', () => {
  expect(shortenDataUris(`![](data:image/png;base64,${'A'.repeat(4_096)})`)).toBe(
    '![](data:image/png;base64,… (3 KiB))',
  );
  expect(shortenDataUris(`![](${uri})`)).toBe(`![](${uri})`);
});
