import { Type } from '@sinclair/typebox';
import { isWebAddress, createSourceProblem, type SourceKind } from '../kind';
import { readHttpSettings } from '../remote-source';

const defineAddresses = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.String({ minLength: 1, maxLength: 4_000 }),
        Type.Array(Type.String({ minLength: 1, maxLength: 4_000 }), { minItems: 1, maxItems: 100_000 }),
      ],
      { description },
    ),
  );

/** Web pages. */
export const http = {
  name: 'http',
  aliases: ['web'],
  summary: 'pages and files by their addresses, named one by one or by sitemaps',
  settings: {
    urls: defineAddresses('http: addresses of pages and files.'),
    url: defineAddresses('http: alias of urls.'),
    sitemaps: defineAddresses(
      'http: addresses of sitemaps: XML, also compressed or listing further sitemaps, or a text with one address per line.',
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        secret: true,
        description:
          'http: headers of requests to the servers in urls and sitemaps, not to others that a sitemap lists or a redirect leads to; use references for tokens.',
      }),
    ),
    respect_robots: Type.Optional(
      Type.Boolean({
        description:
          'http: skip pages from sitemaps that the robots.txt of their site disallows; default true. Addresses in urls are always read.',
      }),
    ),
    timeout: Type.Optional(
      Type.Number({ minimum: 1, maximum: 300, description: 'http: timeout in seconds per page; default 30.' }),
    ),
  },
  credentials: {},
  connection: 'web',
  rights: {
    reach: 'The sites answer, and DOCLOOM_ALLOWED_HOSTS lists them if their addresses are private.',
    list: 'The sitemaps can be read, and the pages exist.',
    read: 'The site sends the pages, also to the robot `docloom` where a sitemap names them.',
  },
  version: 'the ETag, else size and time of the last change, else the content',
  access: 'none: `allowed_users` of the flow, or the owner of the run',
  problems(config) {
    const { urls, sitemaps } = readHttpSettings(config);
    if (urls.length + sitemaps.length === 0)
      return [
        createSourceProblem(
          '/connection_params/urls',
          'No address is given; expected `connection_params.urls` or `connection_params.sitemaps`.',
        ),
      ];
    const listInvalid = (place: 'urls' | 'sitemaps', addresses: readonly string[]) =>
      addresses
        .filter((url) => !isWebAddress(url))
        .map((url) => createSourceProblem(`/connection_params/${place}`, `'${url}' is not an http or https address.`));
    return [...listInvalid('urls', urls), ...listInvalid('sitemaps', sitemaps)];
  },
} as const satisfies SourceKind;
