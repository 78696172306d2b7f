import { convert } from './index';

test('a document is read from text or bytes and can be written in four forms', async () => {
  for (const content of ['# Title\n\nSome words.', new TextEncoder().encode('# Title\n\nSome words.')]) {
    const read = await convert(content, 'note.md');
    expect(read.format).toBe('md');
    expect(read.toMarkdown()).toBe('# Title\n\nSome words.');
    expect(read.toHtml()).toContain('<h1>Title</h1>');
    expect(read.toText()).toContain('Some words.');
    expect(JSON.parse(read.toJson())).toMatchObject({ schema_name: 'DoclingDocument' });
  }
});

test('unreadable input is an error with a code', async () => {
  await expect(convert('no archive', 'broken.docx')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});

test('a path instead of content and name is refused with what is expected', async () => {
  await expect(convert('report.docx', undefined as never)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining("await readFile('a.docx'), 'a.docx'"),
  });
});
