import { createAddressGuard } from '../../services/net/address-guard';
import type { SourceEntry } from '../../services/source/source';
import { createSources } from '../../services/source/sources';
import { startMediawiki, type Wiki } from '../support/servers/mediawiki';
import { withParams } from '../support/sources/fixture';

/** The source mediawiki on MediaWiki, with a wiki that only accounts may read. */
const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
let wiki: Wiki;
let config: Record<string, unknown>;

beforeAll(async () => {
  wiki = await startMediawiki();
  config = {
    provider: 'mediawiki',
    connection_params: { api_url: wiki.apiUrl },
    credentials: { username: wiki.username, password: wiki.password },
  };
}, 5 * 60_000);
afterAll(() => wiki.stop());

async function list(input = config, from = sources): Promise<Map<string, SourceEntry>> {
  const found = new Map<string, SourceEntry>();
  for await (const entry of from.list('mediawiki', input, signal)) found.set(entry.name, entry);
  return found;
}
const read = async (entry: SourceEntry | undefined, input = config) =>
  Buffer.from(await sources.read('mediawiki', entry?.path ?? '', input, signal)).toString();

test('pages come as HTML with their text, whatever their titles; redirects are left out', async () => {
  const titles = [
    'Two words & more',
    'Übersicht Straße',
    '議事録📎',
    "100% a+b 'c' (d)",
    'Top/Sub page',
    'L'.repeat(200),
  ];
  for (const title of titles) wiki.edit(title, `'''Bold''' text of <nowiki>${title}</nowiki>.\n\n== Part ==\n* item`);
  wiki.edit('Old name', '#REDIRECT [[Top/Sub page]]');
  const found = await list();
  for (const title of titles) {
    const html = await read(found.get(`${title}.html`));
    expect(html).toContain(`<b>Bold</b>`);
    expect(html).toMatch(/<h2>.*Part/);
    expect(html).not.toContain('[edit]');
    expect(html.replaceAll('&amp;', '&').replaceAll('&#039;', "'")).toContain(`text of ${title}.`);
  }
  expect(found.has('Old name.html')).toBe(false);
  expect([...found.keys()]).toContain('Main Page.html');
  expect((await list()).get('Top/Sub page.html')).toEqual(found.get('Top/Sub page.html'));
  expect([...(await list(withParams(config, { recursive: false }))).keys()]).not.toContain('Top/Sub page.html');
  expect((await list(withParams(config, { exclude_patterns: ['Top/**'] }))).has('Top/Sub page.html')).toBe(false);
});

test('an edit changes the version, a move keeps the identity, and a deleted page is gone', async () => {
  for (const title of ['Edited', 'Moved', 'Deleted', 'Same']) wiki.edit(title, 'first');
  const before = await list();
  wiki.edit('Edited', 'second');
  wiki.move('Moved', 'New title');
  wiki.remove('Deleted');
  const after = await list();
  expect(after.get('Edited.html')?.version).not.toBe(before.get('Edited.html')?.version);
  expect(after.get('Same.html')).toEqual(before.get('Same.html'));
  expect(after.get('New title.html')?.relativePath).toBe(before.get('Moved.html')?.relativePath);
  expect([after.has('Moved.html'), after.has('Deleted.html')]).toEqual([false, false]);
  expect(await read(after.get('Edited.html'))).toContain('second');
  await expect(read(before.get('Deleted.html'))).rejects.toMatchObject({ code: 'SOURCE_GONE' });
});

test('uploaded files are documents with their bytes; namespaces are chosen by the flow', async () => {
  wiki.upload('Notes_of_today.txt', Buffer.from('the bytes of the file'));
  wiki.upload('Closed.txt', Buffer.from('closed'));
  wiki.edit('Help:How', 'a help page');
  const found = await list(withParams(config, { namespaces: '6,12' }));
  expect([...found.keys()]).toEqual(['Closed.txt', 'Notes_of_today.txt', 'Help:How.html']);
  const file = found.get('Notes_of_today.txt');
  expect(file).toMatchObject({ size: 21, mimetype: 'text/plain' });
  expect(await read(file)).toBe('the bytes of the file');
  await expect(read(found.get('Closed.txt'))).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  const small = withParams(config, { namespaces: '6', max_file_size_mb: 10 / 1024 / 1024 });
  expect((await list(small)).get('Notes_of_today.txt')?.failure?.code).toBe('SOURCE_TOO_LARGE');
  await expect(read(file, small)).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
  wiki.remove('File:Notes of today.txt');
  await expect(read(file)).rejects.toMatchObject({ code: 'SOURCE_GONE' });
});

test('after each entry, the rest of a listing is what followed it', async () => {
  for (const title of ['A b', 'A-b', 'A_c', 'Ab', 'Z', 'Help:A b', 'Help:A-b']) wiki.edit(title, 'x');
  const input = withParams(config, { namespaces: '0,12' });
  const entries = [...(await list(input)).values()];
  for (const [at, { cursor = '' }] of entries.entries()) {
    const rest: string[] = [];
    for await (const entry of sources.list('mediawiki', input, signal, { after: cursor })) rest.push(entry.name);
    expect(rest).toEqual(entries.slice(at + 1).map(({ name }) => name));
  }
});

test('a wrong password, a missing password, a wrong address and a forbidden address have different errors, and none contains the password', async () => {
  const wrong = { ...config, credentials: { username: wiki.username, password: 'wrong-password' } };
  const { credentials: _credentials, ...anonymous } = config;
  for (const input of [wrong, anonymous])
    await expect(list(input)).rejects.toMatchObject({ code: 'SOURCE_SIGN_IN_FAILED' });
  const missing = withParams(config, { api_url: wiki.apiUrl.replace('api.php', 'none/api.php') });
  await expect(list(missing)).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  await expect(list(config, createSources({ roots: [] }))).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  const check = async (input: Record<string, unknown>) =>
    await sources.check({ ...input, provider: 'mediawiki' }, signal);
  expect((await check(config)).map(({ right, outcome }) => [right, outcome])).toEqual([
    ['reach', 'granted'],
    ['sign_in', 'granted'],
    ['list', 'granted'],
    ['read', 'granted'],
  ]);
  const denied = await check(wrong);
  expect(denied.find(({ right }) => right === 'sign_in')?.outcome).toBe('denied');
  expect(JSON.stringify(denied)).not.toContain('wrong-password');
  for (const path of ['/etc/passwd', 'mediawiki://other/page/1/x', `${[...(await list()).values()][0]?.path}/../../1`])
    await expect(sources.read('mediawiki', path, config, signal)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
});
