import { isWebAddress, defineOptionalText, createSourceProblem, type SourceKind, reachOneServer } from '../kind';
import { readMediawikiSettings } from '../online/mediawiki-source';
import { signInSettings, tokenSetting, findSignInProblems } from '../server-settings';

/** Wikis with the software of Wikipedia. */
export const mediawiki = {
  name: 'mediawiki',
  aliases: [],
  summary: 'pages of a wiki of MediaWiki as HTML, and its uploaded files; redirects are left out',
  settings: {
    api_url: defineOptionalText('mediawiki: the address of the API, such as `https://wiki.example.org/w/api.php`.'),
    namespaces: defineOptionalText(
      'mediawiki: numbers of the namespaces to read, separated by commas, such as `0,12`; default `0`, the articles. `6` stands for the uploaded files.',
    ),
  },
  credentials: { ...signInSettings, ...tokenSetting },
  connection: 'web',
  rights: {
    reach: reachOneServer,
    sign_in: 'The wiki accepts name and bot password, or the token.',
    list: 'The account may read the wiki (right `read`).',
    read: 'The account may read the pages and download the files.',
  },
  version: 'the id of the latest revision; for files, the SHA-1',
  access: 'none: `allowed_users` of the flow, or the owner of the run',
  problems(config) {
    const settings = readMediawikiSettings(config);
    const { apiUrl, namespaces } = settings;
    const problems = [];
    if (!isWebAddress(apiUrl) || /[?#]/.test(apiUrl))
      problems.push(
        createSourceProblem(
          '/connection_params/api_url',
          `api_url is '${apiUrl}'; expected the address of an api.php.`,
        ),
      );
    const wrong = namespaces.find((number) => !/^\d{1,6}$/.test(number));
    if (wrong !== undefined)
      problems.push(
        createSourceProblem(
          '/connection_params/namespaces',
          `namespaces has '${wrong}'; expected numbers such as 0,12.`,
        ),
      );
    return [...problems, ...findSignInProblems(settings)];
  },
} as const satisfies SourceKind;
