/**
 * File extensions by language, named as in a DoclingDocument; `unknown` covers languages without such a name. Excludes
 * extensions of other formats (`.md`, `.html`, `.tex`, `.json`, `.xml`).
 */
const byLanguage: Readonly<Record<string, string>> = {
  Ada: 'ada adb ads',
  Awk: 'awk gawk',
  Bash: 'sh bash zsh ksh fish bats ebuild',
  C: 'c h',
  'C#': 'cs csx',
  'C++': 'cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl ino',
  CMake: 'cmake',
  COBOL: 'cob cbl cpy cobol',
  CSS: 'css scss sass less styl',
  Clojure: 'clj cljs cljc edn',
  Crystal: 'cr',
  Cuda: 'cu cuh',
  Cython: 'pyx pxd pxi',
  D: 'd di',
  Dart: 'dart',
  Dockerfile: 'dockerfile containerfile',
  Elixir: 'ex exs heex eex',
  Erlang: 'erl hrl escript',
  FORTRAN: 'f f77 f90 f95 f03 f08 for',
  Forth: 'fth 4th',
  Go: 'go',
  Haskell: 'hs lhs',
  Haxe: 'hx',
  Java: 'java',
  JavaScript: 'js mjs cjs jsx es6',
  Julia: 'jl',
  Kotlin: 'kt kts',
  Latex: 'sty cls bib bst dtx',
  Lisp: 'lisp lsp cl el',
  Lua: 'lua',
  Matlab: 'matlab',
  MoonScript: 'moon',
  Nim: 'nim nims nimble',
  OCaml: 'ml mli mll mly',
  ObjectiveC: 'm mm',
  PHP: 'php phtml php3 php5',
  Pascal: 'pas pp dpr lpr',
  Perl: 'pl pm t pod',
  Prolog: 'pro prolog',
  Python: 'py pyi pyw gyp gypi bzl',
  Racket: 'rkt',
  Ruby: 'rb rake gemspec erb ru',
  Rust: 'rs',
  SML: 'sml',
  SQL: 'sql ddl dml psql plsql',
  Scala: 'scala sc sbt',
  Scheme: 'scm ss',
  Swift: 'swift',
  TypeScript: 'ts mts cts tsx',
  VisualBasic: 'vb bas frm vbs',
  YAML: 'yaml yml',
  unknown:
    'asm s nasm bat cmd ps1 psm1 psd1 r groovy gradle gvy tf tfvars hcl vue svelte astro zig v sv vh vhd vhdl proto thrift graphql gql toml ini cfg conf properties env mk make mak ninja diff patch coffee pug jade hbs mustache ejs liquid njk twig jinja j2 tcl fs fsx fsi elm purs idl y l yy ll glsl hlsl wgsl frag vert wat nix rego cue prisma sol applescript abap sas do ahk au3 vala gd gv puml plantuml mmd desktop service texi po',
};

/** Names of files without an extension, in lower case. */
const byFileName: Readonly<Record<string, readonly string[]>> = {
  Dockerfile: ['dockerfile', 'containerfile'],
  CMake: ['cmakelists.txt'],
  Ruby: ['rakefile', 'gemfile', 'vagrantfile', 'podfile', 'fastfile'],
  Python: ['sconstruct', 'wscript', 'buck', 'build.bazel', 'workspace.bazel'],
  Bash: ['.bashrc', '.bash_profile', '.zshrc', '.profile', 'pkgbuild', 'apkbuild'],
  unknown: [
    'makefile',
    'gnumakefile',
    'jenkinsfile',
    'procfile',
    'brewfile',
    'justfile',
    'meson.build',
    '.gitignore',
    '.editorconfig',
  ],
};

/** Programs named in a first line such as `#!/usr/bin/env python3`. */
const byProgram: Readonly<Record<string, RegExp>> = {
  Python: /^(?:python|pypy|uv)/,
  Bash: /^(?:ba|z|k|da|fi|a)?sh$/,
  JavaScript: /^(?:node|nodejs|bun|zx)$/,
  TypeScript: /^(?:deno|ts-node|tsx)$/,
  Perl: /^perl/,
  Ruby: /^ruby/,
  PHP: /^php/,
  Lua: /^lua/,
  Awk: /^[gm]?awk/,
  Julia: /^julia/,
  Scala: /^scala/,
  Racket: /^racket/,
};

const languagesByExtension = new Map(
  Object.entries(byLanguage).flatMap(([language, names]) => names.split(' ').map((name) => [name, language] as const)),
);
const languagesByFileName = new Map(
  Object.entries(byFileName).flatMap(([language, names]) => names.map((name) => [name, language] as const)),
);

/** Every extension of source code, in lower case. */
export const codeExtensions: readonly string[] = [...languagesByExtension.keys()];
/** Every file name of source code without an extension, in lower case. */
export const codeFileNames: readonly string[] = [...languagesByFileName.keys()];

/** Returns the language of a file by its name, else by the program in its first line; `unknown` if neither is known. */
export function detectFileLanguage(fileName: string, firstLine: string): string {
  const name = fileName.toLowerCase();
  const extension = name.slice(name.lastIndexOf('.') + 1);
  return (
    languagesByFileName.get(name) ??
    languagesByExtension.get(extension) ??
    findLanguageByProgram(firstLine) ??
    'unknown'
  );
}

function findLanguageByProgram(firstLine: string): string | undefined {
  const [, path = '', argument = ''] = /^#!\s*(\S+)(?:\s+(?:-\S+\s+)*(\S+))?/.exec(firstLine) ?? [];
  const command = path.slice(path.lastIndexOf('/') + 1);
  const program = command === 'env' ? argument : command;
  return Object.keys(byProgram).find((language) => byProgram[language]!.test(program));
}
