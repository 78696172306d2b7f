import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { type SourceFixture, withParams } from './fixture';

const escaped = (text: string) =>
  text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`).replaceAll('&#38;', '&amp;');

/** A site with a sitemap. */
export async function httpFixture(): Promise<SourceFixture> {
  const pages = new Map<string, string>();
  const server = createServer(({ url = '', method }, response) => {
    const key = decodeURIComponent(new URL(url, 'http://site').pathname.slice(1));
    const places = [...pages.keys()].map((page) => `<url><loc>${escaped(getAddress(page))}</loc></url>`);
    const page = key === 'sitemap.xml' ? `<urlset>${places.join('')}</urlset>` : pages.get(key);
    if (page === undefined) return void response.writeHead(404).end();
    const etag = `"${createHash('sha256').update(page).digest('hex')}"`;
    const length = Buffer.byteLength(page);
    response.writeHead(200, { etag, 'content-type': 'text/markdown', 'content-length': length });
    response.end(method === 'HEAD' ? undefined : page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const getAddress = (key: string) => `${origin}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const config = { provider: 'http', connection_params: { sitemaps: [`${origin}/sitemap.xml`] } };
  return {
    provider: 'http',
    sources: createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) }),
    strict: createSources({ roots: [] }),
    config,
    put: async (key, text) => void pages.set(key, text),
    remove: async (key) => void pages.delete(key),
    keyOf: ({ path }) => decodeURIComponent(new URL(path).pathname.slice(1)),
    missing: withParams(config, { sitemaps: [`${origin}/none.xml`] }),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
