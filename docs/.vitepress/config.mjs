import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

// The site is built from the Markdown files where they are: the guides, the operators' pages and a few others. Links between them
// are those of the repository; a link to another file leads to a copy of it below /files, so that the site works offline.
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const outDir = path.join(root, 'docs/.vitepress/dist');
const pages =
  /^(docs\/.*|operators\/[^/]+\/README|bench\/README|client\/python\/README|CONTRIBUTING|CHANGELOG|SECURITY|README)\.md$/;
const linkedFiles = new Set();

const isPage = (file) => pages.test(file) && existsSync(path.join(root, file));
const toIndex = (file) => file.replace(/(^|\/)README\.md$/, '$1index.md');

/** The address of a link as the repository has it; `from` is the file with the link. */
function rewriteLink(href, from) {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [, file, anchor] = /^([^#]*)(#.*)?$/.exec(href);
  const target = path.posix.join(path.posix.dirname(from), file).replace(/\/$/, '');
  if (isPage(target)) return `/${toIndex(target)}${anchor ?? ''}`;
  const full = path.join(root, target);
  if (!existsSync(full)) throw new Error(`${from} links to ${href}, which does not exist.`);
  linkedFiles.add(target);
  return statSync(full).isDirectory() ? `/files/${target}/index.txt` : `/files/${target}.txt`;
}

function rewriteLinks(markdown) {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const from = path.relative(root, env.realPath ?? env.path);
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'link_open') token.attrSet('href', rewriteLink(token.attrGet('href'), from));
  });
}

/** Long names break after underscores and slashes, never in the middle of a word. */
function breakNames(markdown) {
  const { rules } = markdown.renderer;
  const plain = rules.code_inline;
  rules.code_inline = (...given) =>
    plain(...given).replace(/>([^<]*)</, (_, text) => `>${text.replaceAll(/([_/,])(?=\S)/g, '$1<wbr>')}<`);
}

/** Comments mark generated tables; as HTML is not read, so that names in angle brackets stay text, they are taken out here. */
function dropComments(markdown) {
  markdown.core.ruler.after('block', 'comments', (state) => {
    const isComment = (token) => token?.type === 'inline' && /^<!--[^]*-->$/.test(token.content);
    state.tokens = state.tokens.filter(
      (token, at, all) => !isComment(token) && !isComment(all[at + 1]) && !(isComment(all[at - 1]) && at > 0),
    );
  });
}

/** Copies what pages link to and is no page; a folder becomes the list of its files. */
function copyFiles() {
  for (const name of linkedFiles) {
    const [from, to] = [path.join(root, name), path.join(outDir, 'files', name)];
    const isFolder = statSync(from).isDirectory();
    mkdirSync(isFolder ? to : path.dirname(to), { recursive: true });
    if (isFolder) writeFileSync(path.join(to, 'index.txt'), `${readdirSync(from).join('\n')}\n`);
    else cpSync(from, `${to}.txt`);
  }
}

/** The sections and pages of the index of guides, docs/README.md, in its order. */
function readSidebar() {
  const index = readFileSync(path.join(root, 'docs/README.md'), 'utf8');
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.split('\n')[0],
      items: [...section.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) \|/gm)].map(([, text, href]) => ({
        text,
        link: `/${toIndex(path.posix.join('docs', href)).replace(/(index)?\.md$/, '')}`,
      })),
    }));
}

export default defineConfig({
  title: 'Docloom',
  // Browsers ask for /favicon.ico otherwise.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  description: 'Turns folders of documents into a searchable index, durably.',
  srcDir: '..',
  outDir,
  // Hidden files, packages and builds are left out by VitePress itself.
  srcExclude: ['console/**', 'samples/**', 'test/**', 'bench/relevance/**', 'dist/**'],
  rewrites: (name) => toIndex(name),
  lastUpdated: false,
  metaChunk: true,
  markdown: {
    html: false,
    config(markdown) {
      dropComments(markdown);
      breakNames(markdown);
      rewriteLinks(markdown);
    },
    // Anchors as Git hosts make them, which the links of the files use.
    anchor: {
      slugify: (title) =>
        title
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'Guides', link: '/docs/' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: readSidebar(),
  },
  buildEnd: copyFiles,
});
