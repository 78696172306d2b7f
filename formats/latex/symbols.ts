const list =
  "ldots … dots … textellipsis … textendash – textemdash — textbackslash \\ textasciitilde ~ textasciicircum ^ textbar | textless < textgreater > textquotedblleft “ textquotedblright ” textquoteleft ‘ textquoteright ’ textbullet • textdegree ° textregistered ® texttrademark ™ textcopyright © copyright © pounds £ euro € texteuro € S § P ¶ dag † ddag ‡ ss ß ae æ AE Æ oe œ OE Œ aa å AA Å o ø O Ø l ł L Ł i ı j ȷ LaTeX LaTeX TeX TeX LaTeXe LaTeX2e BibTeX BibTeX checkmark ✓ slash / textquotesingle ' quotesinglbase ‚ quotedblbase „ guillemotleft « guillemotright » guilsinglleft ‹ guilsinglright › textexclamdown ¡ textquestiondown ¿ textmu µ textpm ± texttimes × textasteriskcentered * textperiodcentered · textsection § textparagraph ¶ degree ° celsius °C".split(
    ' ',
  );

/** Control words for text characters. */
export const symbols = new Map<string, string>();
for (let at = 0; at < list.length; at += 2) symbols.set(list[at]!, list[at + 1]!);

/** Combining characters for accents, by their control symbol. */
export const accents: Readonly<Record<string, string>> = {
  '`': '\u0300',
  "'": '\u0301',
  '^': '\u0302',
  '~': '\u0303',
  '=': '\u0304',
  u: '\u0306',
  '.': '\u0307',
  '"': '\u0308',
  r: '\u030a',
  H: '\u030b',
  v: '\u030c',
  d: '\u0323',
  c: '\u0327',
  k: '\u0328',
};

/** Control words whose arguments are not text, with the number of arguments. */
export const ignoredCommands = new Map<string, number>(
  Object.entries({
    label: 1, vspace: 1, hspace: 1, vskip: 0, hskip: 0, setlength: 2, addtolength: 2, setcounter: 2, addtocounter: 2,
    color: 1, textcolor: 1, colorbox: 1, rowcolor: 1, cellcolor: 1, columncolor: 1, definecolor: 3, fontsize: 2,
    includegraphics: 1, bibliographystyle: 1, bibliography: 1, pagestyle: 1, thispagestyle: 1, input: 1, include: 1,
    index: 1, markboth: 2, markright: 1, hypersetup: 1, newtheorem: 2, usepackage: 1, documentclass: 1, rule: 2,
    raisebox: 1, scalebox: 1, resizebox: 2, rotatebox: 1, phantom: 1, hphantom: 1, vphantom: 1, pagenumbering: 1,
    cline: 1, cmidrule: 1, specialrule: 3, addlinespace: 0, bibitem: 1, captionsetup: 1, graphicspath: 1, linespread: 1,
    renewenvironment: 3, newenvironment: 3, PassOptionsToPackage: 2, addcontentsline: 3, hyphenation: 1, authorrunning: 1,
    titlerunning: 1, institute: 0, providecommand: 2, newlength: 1, newcounter: 1, parbox: 1, makebox: 0, stepcounter: 1,
    vadjust: 1, fontfamily: 1, fontseries: 1, fontshape: 1, selectlanguage: 1, hyperlink: 1, hypertarget: 1, column: 1, newif: 0,
  }),
); // prettier-ignore
