import { Type } from '@sinclair/typebox';
import { isWebAddress, defineOptionalSecret, defineOptionalText, createSourceProblem, type SourceKind } from '../kind';
import { readSharepointSettings, usualGraphAddresses } from '../online/sharepoint-source';
import { findRightsProblems, folderSetting, rightsSetting } from '../server-settings';

/** Document libraries of SharePoint and OneDrives, through Microsoft Graph. */
export const sharepoint = {
  name: 'sharepoint',
  aliases: ['onedrive'],
  summary: 'files of a document library of SharePoint, or of a OneDrive; shortcuts to other drives are not followed',
  settings: {
    tenant_id: defineOptionalText('sharepoint: the tenant of Microsoft Entra ID, its id or its domain.'),
    client_id: defineOptionalText('sharepoint: the id of the application that signs in.'),
    site: defineOptionalText(
      'sharepoint: the site, such as `contoso.sharepoint.com:/sites/legal`, or its host alone for the root site.',
    ),
    document_library: defineOptionalText(
      'sharepoint: the library of the site, by name; default: the first one of the site.',
    ),
    user: defineOptionalText('sharepoint: instead of a site, the owner of a OneDrive, by id or user principal name.'),
    drive_id: defineOptionalText('sharepoint: instead of a site, the id of a drive; google_drive: a shared drive.'),
    login_url: defineOptionalText('sharepoint: the sign-in server of a national cloud. Also set `endpoint_url`.'),
    ...folderSetting,
    ...rightsSetting,
  },
  credentials: {
    client_secret: defineOptionalSecret(
      'sharepoint: the secret of the application. Use a reference such as `${connection:NAME}`.',
    ),
    certificate: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 20_000,
        secret: true,
        description:
          'sharepoint: instead of the secret, a certificate of the application with its RSA key, in PEM. Use a reference.',
      }),
    ),
    refresh_token: defineOptionalSecret(
      'sharepoint: a refresh token, to sign in for a user; without it, the application signs in as itself. Use a reference.',
    ),
  },
  connection: 'sharepoint',
  usualAddress: [usualGraphAddresses.endpoint, usualGraphAddresses.login],
  rights: {
    reach: 'The servers answer, and DOCLOOM_ALLOWED_HOSTS lists them if their addresses are private.',
    sign_in: 'The sign-in server accepts the application and its secret.',
    list: 'The application may list the drive (`Sites.Selected` with read, `Sites.Read.All` or `Files.Read.All`).',
    read: 'The application may read the files (the same permissions).',
    access: 'Where an identity map covers the drive, the application may read the permissions of the files.',
  },
  version: 'the `cTag`',
  access:
    'permissions of the files, where an identity map covers the drive; else `allowed_users` of the flow, or the owner of the run',
  problems(config) {
    const { account, driveId, site, user, library } = readSharepointSettings(config);
    const problems = findRightsProblems(config, 'source');
    const report = (name: string, message: string) =>
      problems.push(createSourceProblem(`/connection_params/${name}`, message));
    if (!/^[A-Za-z0-9.-]+$/.test(account.tenant))
      report('tenant_id', `tenant_id is '${account.tenant}'; expected the id or the domain of a tenant.`);
    if (!/^[A-Za-z0-9-]+$/.test(account.clientId))
      report('client_id', `client_id is '${account.clientId}'; expected the id of an application.`);
    if ([driveId, site, user].filter((item) => item !== undefined).length !== 1)
      report('site', 'Expected one of site, user and drive_id.');
    if (site !== undefined && !/^[A-Za-z0-9.-]+(?::\/[^:]*)?$/.test(site))
      report('site', `site is '${site}'; expected a host, or host and path as in contoso.sharepoint.com:/sites/legal.`);
    if (library !== undefined && site === undefined) report('document_library', 'document_library needs a site.');
    for (const [name, address] of [
      ['endpoint_url', account.endpoint],
      ['login_url', account.login],
    ] as const)
      if (!isWebAddress(address)) report(name, `${name} is '${address}'; expected an http or https address.`);
    const isUsualEndpoint = account.endpoint === usualGraphAddresses.endpoint;
    const isUsualLogin = account.login === usualGraphAddresses.login;
    if (isUsualEndpoint !== isUsualLogin)
      report('login_url', 'One of endpoint_url and login_url is missing; expected both or neither.');
    if (account.clientSecret === '' && account.certificate === undefined && account.refreshToken === undefined)
      problems.push(createSourceProblem('/credentials', 'Expected client_secret, certificate or refresh_token.'));
    return problems;
  },
} as const satisfies SourceKind;
