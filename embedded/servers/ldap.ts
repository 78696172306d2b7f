import { randomBytes } from 'node:crypto';
import { verifyArtifacts } from '../artifact-checksums';
import { copyArtifacts } from '../maven';
import { buildShippedPath } from '../paths';
import { isListening, loopback } from '../ports';
import { versions } from '../releases';
import type { ServerRecipe } from '../server';
import { createJavaArguments, findJavaHome } from '../tools';

const title = 'LDAP directory';
const baseDn = 'dc=example,dc=org';
const bindDn = 'cn=admin';

/** The users in `sample-users.ldif`, shown to people who try the product on one machine. */
export const sampleUsers = [
  { username: 'alice', password: 'alice-secret' },
  { username: 'bob', password: 'bob-secret' },
  { username: 'carol', password: 'carol-secret' },
] as const;

/** The group in `sample-users.ldif` whose members are administrators. */
export const sampleAdminGroup = 'docloom-admins';

/** An in-memory directory of sample users. It loses changes and its administrator password when it stops. */
export const ldap: ServerRecipe = {
  name: 'ldap',
  title,
  version: versions.ldapSdk,
  setting: 'LDAP_SERVER',
  siblings: ['LDAP_BASE_DN', 'LDAP_USER_DN', 'LDAP_BIND_DN', 'LDAP_BIND_PASSWORD', 'LDAP_USE_SSL'],
  givenAddress: (env) => {
    const url = /^(ldaps?):\/\/([^:/]+)(?::(\d+))?/.exec(env['LDAP_SERVER'] ?? '');
    return url?.[2] ? { host: url[2], port: Number(url[3] ?? (url[1] === 'ldaps' ? 636 : 389)) } : undefined;
  },
  ports: { main: 1389 },
  folder: `unboundid-ldapsdk-${versions.ldapSdk}`,
  steps: [
    {
      origin: 'build',
      text: 'fetching the UnboundID directory server from Maven Central',
      size: '6 MB',
      time: 'a few seconds',
      needs: ['java', 'mvn'],
      run: async (folder, context) => {
        await copyArtifacts(
          title,
          [{ group: 'com.unboundid', id: 'unboundid-ldapsdk', version: versions.ldapSdk }],
          { type: 'jar', folder },
          context,
        );
        verifyArtifacts(title, folder, 'jar');
      },
    },
  ],
  runsOnJava: () => true,
  launch: async (installation, ports, context) => {
    const { java } = findJavaHome(title, context.env);
    const args = createJavaArguments(installation.path, 'LdapServer.java', { heap: '128m' });
    const password = randomBytes(24).toString('base64url');
    return {
      command: java,
      args: [...args, baseDn, String(ports.main), buildShippedPath('servers/sample-users.ldif'), bindDn],
      env: { ...context.env, DIRECTORY_PASSWORD: password },
      settings: { LDAP_BIND_PASSWORD: password },
    };
  },
  isReady: (ports) => isListening(loopback, ports.main),
  addresses: (ports) => ({
    LDAP_SERVER: `ldap://${loopback}:${ports.main}`,
    LDAP_BASE_DN: baseDn,
    LDAP_USER_DN: `ou=people,${baseDn}`,
    LDAP_BIND_DN: bindDn,
  }),
};
