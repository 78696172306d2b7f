import { execFileSync } from 'node:child_process';
import { constants, createHash, verify, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DoubleServer, startDouble } from './double-server';

/** A token of the sign-in server: the server it is for, and whether it was obtained with a secret. */
export interface GivenToken {
  scope: string;
  isSecret: boolean;
}

/** The REST API of a site of SharePoint, written from the published protocol. */
export interface SharepointDouble {
  server: DoubleServer;
  /** The address of the site. */
  site: string;
  siteId: string;
  groups: { id: number; title: string; members: string[] }[];
}

/** Starts the API. It accepts only tokens for its own address, and none that were obtained with a secret. */
export async function startSharepoint(input: ReadonlyMap<string, GivenToken>): Promise<SharepointDouble> {
  const server = await startDouble(({ url, headers }) => {
    const token = input.get((headers.authorization ?? '').replace('Bearer ', ''));
    if (token?.scope !== `${server.origin}/.default`) return { status: 401 };
    if (token.isSecret) return { status: 401, body: { error_description: 'Unsupported app only token.' } };
    const at = decodeURIComponent(url.pathname).replace('/sites/legal/_api', '');
    if (at === '/site/id') return { body: { value: double.siteId } };
    if (at === '/web/sitegroups') {
      const start = Number(url.searchParams.get('$skiptoken') ?? 0);
      const value = double.groups.slice(start, start + 1).map(({ id, title }) => ({ Id: id, Title: title }));
      const isLast = start + 1 >= double.groups.length;
      return {
        body: {
          value,
          ...(isLast ? {} : { 'odata.nextLink': `${url.origin}${url.pathname}?$skiptoken=${start + 1}` }),
        },
      };
    }
    const [, id] = /^\/web\/sitegroups\/getbyid\((\d+)\)\/users$/.exec(at) ?? [];
    const group = double.groups.find((item) => String(item.id) === id);
    return group ? { body: { value: group.members.map((LoginName) => ({ LoginName })) } } : { status: 404 };
  });
  const double: SharepointDouble = {
    server,
    site: `${server.origin}/sites/legal`,
    siteId: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    groups: [],
  };
  return double;
}

let made: string | undefined;

/** A certificate with its key, in PEM; the same for all tests of a file. */
export function getCertificate(): string {
  return (made ??= makeCertificate());
}

function makeCertificate(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'docloom-certificate-'));
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => path.join(folder, name));
  try {
    const subject = ['-subj', '/CN=docloom', '-days', '1'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key!, '-out', certificate!, ...subject],
      { stdio: 'ignore' },
    );
    return readFileSync(certificate!, 'utf8') + readFileSync(key!, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** True if the form has an assertion for this audience that the key of the certificate signed. */
export function isSignedBy(certificate: string, form: URLSearchParams, audience: string): boolean {
  const [header = '', claims = '', signature = ''] = (form.get('client_assertion') ?? '').split('.');
  if (signature === '') return false;
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const { publicKey, raw } = new X509Certificate(certificate);
  const { aud, sub, exp } = read(claims);
  return (
    read(header)['x5t#S256'] === createHash('sha256').update(raw).digest('base64url') &&
    aud === audience &&
    sub === form.get('client_id') &&
    Number(exp) * 1_000 > Date.now() &&
    verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
      Buffer.from(signature, 'base64url'),
    )
  );
}
