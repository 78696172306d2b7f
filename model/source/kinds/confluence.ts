import { isWebAddress, defineOptionalText, createSourceProblem, type SourceKind, reachOneServer } from '../kind';
import { readConfluenceSettings } from '../online/confluence-source';
import { findRightsProblems, rightsSetting, signInSettings, tokenSetting } from '../server-settings';

/** Spaces of Confluence Cloud. */
export const confluence = {
  name: 'confluence',
  aliases: [],
  summary: 'pages of a space of Confluence Cloud, and their attachments',
  settings: {
    site_url: defineOptionalText('confluence: the address of the site, such as `https://example.atlassian.net`.'),
    space: defineOptionalText('confluence: the key of the space.'),
    ...rightsSetting,
  },
  credentials: { username: signInSettings.username, ...tokenSetting },
  connection: 'confluence',
  rights: {
    reach: reachOneServer,
    sign_in: 'The site accepts mail address and API token.',
    list: 'The account may see the space and its pages.',
    read: 'The account may see the pages, and download attachments.',
    access:
      'Where an identity map covers the site, the account may read the permissions of the space and the restrictions of its pages.',
  },
  version: 'the version number of the page or the attachment',
  access:
    'permissions of the space and restrictions of the page and those above it, where an identity map covers the site; else `allowed_users` of the flow, or the owner of the run',
  problems(config) {
    const { siteUrl, space, username, token } = readConfluenceSettings(config);
    const problems = findRightsProblems(config, 'source');
    if (!isWebAddress(siteUrl))
      problems.push(
        createSourceProblem(
          '/connection_params/site_url',
          `site_url is '${siteUrl}'; expected an http or https address.`,
        ),
      );
    if (!/^~?[A-Za-z0-9_.-]+$/.test(space))
      problems.push(
        createSourceProblem('/connection_params/space', `space is '${space}'; expected the key of a space.`),
      );
    if (username === '' || token === '')
      problems.push(createSourceProblem('/credentials', 'Expected username and token.'));
    return problems;
  },
} as const satisfies SourceKind;
