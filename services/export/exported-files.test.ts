import type { Claim } from './claims';
import { createExportedFiles } from './exported-files';

test('keys of many folders are looked up in parts that fit into one request', async () => {
  const sizes: number[] = [];
  const deep = `${'a/'.repeat(400)}last`;
  const exportedFiles = createExportedFiles({
    listWritten: async (files) => {
      sizes.push(files.length);
      return files
        .filter(({ place, name }) => place === `s3:storage.example.org/docs/${'a/'.repeat(399)}` && name === 'a/last')
        .map((file) => ({ ...file, job_id: 'job' }) as Claim);
    },
  });
  const keys = [...Array.from({ length: 100 }, (_, index) => `${'a/'.repeat(400)}${index}`), deep];
  expect([...(await exportedFiles.find({ source: 's3:storage.example.org/docs' }, keys))]).toEqual([[deep, 'job']]);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(101 * 401);
});
