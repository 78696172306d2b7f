import { createHash } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import { buildMembersPrefix } from '../../../activities/conversion/member-sources';
import { type ConversionSystem, createConversionSystem, wordDocument } from '../../support/system/conversion-fixture';

let conversion: ConversionSystem;
beforeAll(async () => {
  conversion = createConversionSystem();
  await conversion.system.startWorker();
});
afterAll(() => conversion.stop());

const createZip = (files: Record<string, string | Uint8Array>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, own]) => [name, toBytes(own)])));
const toBytes = (own: string | Uint8Array) => (typeof own === 'string' ? strToU8(own) : own);

async function convert(files: Record<string, string | Uint8Array>, members?: 'archives' | 'all') {
  const { task_id, task_status } = await conversion.convert(files, members ? { options: { members } } : {});
  expect(task_status).toBe('success');
  const result = await conversion.tasks.readResult('default', task_id);
  const facts = result.documents.map((document) => [
    document.source_uri,
    document.filename,
    document.status,
    document.errors[0]?.error_message,
  ]);
  return { id: task_id, result, facts };
}

const mail = (attachment: string) =>
  'From: a@b.example\r\nSubject: Offer\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee below.\r\n' +
  `--b\r\nContent-Type: text/markdown; name=offer.md\r\nContent-Disposition: attachment; filename=offer.md\r\n\r\n${attachment}\r\n--b--\r\n`;

test('the files of an archive are documents, each with its own outcome, in their order and beside other sources', async () => {
  const inner = createZip({ 'deep.md': '# Deep' });
  const archive = createZip({ 'a.md': '# A', '2024/b.docx': wordDocument, 'bad.docx': 'no zip', 'more/in.zip': inner });
  const { id, result, facts } = await convert({ 'papers.zip': archive, 'c.md': '# C' }, 'archives');
  expect(result.packaging).toBe('archive');
  expect(facts).toEqual([
    ['papers.zip!/a.md', 'a.md', 'success', undefined],
    ['papers.zip!/2024/b.docx', 'b.docx', 'success', undefined],
    ['papers.zip!/bad.docx', 'bad.docx', 'failure', expect.any(String)],
    ['papers.zip!/more/in.zip/deep.md', 'deep.md', 'success', undefined],
    ['c.md', 'c.md', 'success', undefined],
  ]);
  expect(await conversion.text(result, 3, 'md')).toBe('# Deep');
  // Extracted files are removed at the end of the task.
  const key = createHash('sha256').update('a.md').digest('hex');
  expect(await conversion.files.exists(`${buildMembersPrefix(id)}0/${key}`)).toBe(false);
});

test('attachments are documents after their message only on request', async () => {
  const files = { 'letter.eml': mail('# Attached') };
  const { facts, result } = await convert(files, 'all');
  expect(facts).toEqual([
    ['letter.eml', 'letter.eml', 'success', undefined],
    ['letter.eml!/offer.md', 'offer.md', 'success', undefined],
  ]);
  expect(await conversion.text(result, 1, 'md')).toBe('# Attached');
  expect((await convert(files, 'archives')).facts).toHaveLength(1);
});

test('without the option an archive is a file of an unknown format, as clients know it', async () => {
  const { facts, result } = await convert({ 'papers.zip': createZip({ 'a.md': '# A' }) });
  expect(result.packaging).toBe('inbody');
  expect(facts).toEqual([['papers.zip', 'papers.zip', 'skipped', 'File format not allowed: papers.zip']]);
});

test('a container that is too large or damaged fails alone with the reason', async () => {
  const many = createZip(Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`${index}.md`, ''])));
  const damaged = createZip({ 'a.md': '# A' }).slice(0, 30);
  const { facts } = await convert({ 'many.zip': many, 'damaged.zip': damaged, 'c.md': '# C' }, 'all');
  expect(facts).toEqual([
    ['many.zip', 'many.zip', 'failure', expect.stringContaining('the limit is 1000')],
    ['damaged.zip', 'damaged.zip', 'failure', expect.any(String)],
    ['c.md', 'c.md', 'success', undefined],
  ]);
});
