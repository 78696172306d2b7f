import { followRedirects, isRedirect } from './follow-redirects';

/** Answers by URL; a text is the location of a redirect. */
function serve(answers: Record<string, string | number>) {
  const asked: [url: string, authorization: string | null][] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = (input as URL).href;
    asked.push([url, new Headers(init?.headers).get('authorization')]);
    const answer = answers[url] ?? 404;
    return typeof answer === 'number'
      ? new Response('', { status: answer })
      : new Response('', { status: 302, headers: { location: answer } });
  };
  const follow = (url: string, maxRedirects = 5) =>
    followRedirects(
      { fetch },
      {
        url: new URL(url),
        headers: { authorization: 'secret' },
        maxRedirects,
        signal: new AbortController().signal,
      },
    );
  return { asked, follow };
}

test.each([
  ['the same server', 'https://docs.example/a', 'https://docs.example/b', 'secret'],
  ['a relative address', 'https://docs.example/a', '/b', 'secret'],
  ['from http to https on the same host', 'http://docs.example/a', 'https://docs.example/b', 'secret'],
  ['from https to http on the same host', 'https://docs.example/a', 'http://docs.example/b', null],
  ['from http to another port', 'http://docs.example/a', 'https://docs.example:8443/b', null],
  ['a port that only looks standard', 'https://docs.example/a', 'https://docs.example:444/b', null],
  ['another host', 'https://docs.example/a', 'https://evil.example/b', null],
  ['a subdomain', 'https://docs.example/a', 'https://a.docs.example/b', null],
  ['the host as a user name', 'https://docs.example/a', 'https://docs.example@evil.example/b', null],
  ['a scheme-relative address', 'https://docs.example/a', '//evil.example/b', null],
])('a redirect to %s', async (_name, from, location, received) => {
  const to = new URL(location, from).href;
  const { asked, follow } = serve({ [from]: location, [to]: 200 });
  const { response, url } = await follow(from);
  expect([response.status, url.href]).toEqual([200, to]);
  expect(asked).toEqual([
    [from, 'secret'],
    [to, received],
  ]);
});

test('a redirect back to the first server is followed without the headers', async () => {
  const { asked, follow } = serve({
    'https://docs.example/a': 'https://evil.example/',
    'https://evil.example/': 'https://docs.example/private',
    'https://docs.example/private': 200,
  });
  await follow('https://docs.example/a');
  expect(asked.map(([, authorization]) => authorization)).toEqual(['secret', null, null]);
});

test('the last redirect is the answer where there are too many, or where it leads elsewhere than to http', async () => {
  const { asked, follow } = serve({
    'https://docs.example/round': '/round',
    'https://docs.example/file': 'file:///etc/passwd',
    'https://docs.example/odd': 'https://:0:0/',
  });
  for (const path of ['round', 'file', 'odd']) {
    const { response } = await follow(`https://docs.example/${path}`, 2);
    expect(isRedirect(response)).toBe(true);
  }
  expect(asked).toHaveLength(3 + 1 + 1);
});
