import { type Static, Type } from '@sinclair/typebox';

const defineText = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description }));
/** Only references, so that a map can be shown as it is. */
const defineReference = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 300,
      pattern: '^\\$\\{(?:connection:[a-z0-9][a-z0-9_-]*(?:\\.[a-z0-9_]+)?|DOCLOOM_SECRET_[A-Z0-9_]+)\\}$',
      description: `${description} A reference such as \`\${connection:NAME}\`.`,
    }),
  );

/** The service whose accounts and groups a map has, with the settings of its source. */
export const ServiceDirectory = Type.Object(
  {
    provider: Type.Union([Type.Literal('sharepoint'), Type.Literal('google_drive'), Type.Literal('confluence')]),
    connection_params: Type.Object(
      {
        tenant_id: defineText('sharepoint: the tenant.'),
        client_id: defineText('sharepoint: the application that signs in.'),
        sites: Type.Optional(
          Type.Array(Type.String({ pattern: '^https?://[^?#\\\\]+$', maxLength: 1_000 }), {
            maxItems: 100,
            description:
              'sharepoint: addresses of sites whose groups are read too, such as `https://contoso.sharepoint.com/sites/legal`. SharePoint accepts only a certificate or a refresh token for that, not a secret.',
          }),
        ),
        subject: defineText('google_drive: an administrator of the directory, for whom the service account acts.'),
        site_url: defineText('confluence: the address of the site.'),
        endpoint_url: defineText('sharepoint, google_drive: the address of the server, when it is not the usual one.'),
        login_url: defineText('sharepoint: the sign-in server of a national cloud.'),
      },
      { additionalProperties: false },
    ),
    credentials: Type.Object(
      {
        client_secret: defineReference('sharepoint: the secret of the application.'),
        certificate: defineReference('sharepoint: instead of the secret, a certificate with its RSA key, in PEM.'),
        refresh_token: defineReference('sharepoint: a refresh token.'),
        service_account_key: defineReference('google_drive: the key file of the service account.'),
        username: defineText('confluence: the mail address of the account.'),
        token: defineReference('confluence: the API token of the account.'),
      },
      { additionalProperties: false },
    ),
  },
  {
    $id: 'ServiceDirectory',
    additionalProperties: false,
    description:
      'For `directory: source`. Connections are those that the administrator who wrote the map may use: own ones, and shared ones for their name or for everybody.',
  },
);
export type ServiceDirectory = Static<typeof ServiceDirectory>;

/** How entries of the LDAP directory become accounts and groups. */
export const LdapDirectory = Type.Object(
  {
    ids: Type.Union([Type.Literal('sid'), Type.Literal('number'), Type.Literal('name')], {
      description:
        '`sid`: security identifiers of an Active Directory, as Windows shares have them. `number`: user and group numbers (`uidNumber`, `gidNumber`), as files have them. `name`: `uid` or `sAMAccountName`, and `cn` of groups.',
    }),
  },
  {
    $id: 'LdapDirectory',
    additionalProperties: false,
    description: 'For `directory: ldap`. The directory is that of the logins (LDAP_SERVER, LDAP_BIND_DN).',
  },
);
export type LdapDirectory = Static<typeof LdapDirectory>;
