import { computeDocumentTimeout } from './document-timeout';

const megabyte = 1024 ** 2;
const limits = { seconds: 600, maxSeconds: 604_800 };
const small = { requested: null, bytes: 110_000, usesModels: false };

test('the time limit grows with size and options, up to the maximum', () => {
  const of = (document: Partial<Parameters<typeof computeDocumentTimeout>[0]>, maxSeconds = limits.maxSeconds) =>
    computeDocumentTimeout({ ...small, ...document }, { ...limits, maxSeconds }) / 1_000;
  expect(of({})).toBe(600);
  expect(of({ bytes: 31 * megabyte })).toBe(600 + 30 * 60);
  expect(of({ usesModels: true })).toBe(3_600);
  expect(of({ requested: 12.5 })).toBe(12.5);
  expect(of({ requested: 7_200 })).toBe(7_200);
  expect(of({ requested: 604_800 }, 60)).toBe(60);
  expect(of({ bytes: 500 * megabyte }, 900)).toBe(900);
});

test('without a default every document may use the maximum', () => {
  expect(computeDocumentTimeout(small, { ...limits, seconds: 0 })).toBe(604_800_000);
});
