import { paragraph, title } from '../support/prose';
import type { Random } from '../support/random';
import { type MadePage, Page } from './html-pages';

/** Pages with displayed formulas, written as MathML, whose TeX is known. */
export const formulaKinds: Record<string, (random: Random) => MadePage> = {
  'formulas flat': (random) => buildFormulaPage(random, 'formulas flat', 1),
  'formulas nested': (random) => buildFormulaPage(random, 'formulas nested', 2),
};

/** A part of a formula in both notations. */
interface Part {
  mathml: string;
  tex: string;
}

const greek = [
  ['α', '\\alpha'],
  ['β', '\\beta'],
  ['γ', '\\gamma'],
  ['λ', '\\lambda'],
  ['μ', '\\mu'],
  ['σ', '\\sigma'],
  ['ω', '\\omega'],
  ['Δ', '\\Delta'],
] as const;
const signs = [
  ['+', '+'],
  ['−', '-'],
  ['·', '\\cdot'],
  ['×', '\\times'],
] as const;
const relations = [
  ['=', '='],
  ['≤', '\\leq'],
  ['≈', '\\approx'],
  ['∈', '\\in'],
] as const;

function buildFormulaPage(random: Random, kind: string, depth: number): MadePage {
  const page = new Page().heading(1, title(random));
  for (let index = 0; index < 4; index += 1) {
    const [left, right] = [drawSymbol(random), drawSum(random, depth)];
    const relation = pick(random, relations);
    page
      .text(paragraph(random, 2))
      .add(
        `<div class="formula"><math display="block"><mrow>${left.mathml}<mo>${relation[0]}</mo>${right.mathml}</mrow></math></div>`,
        { kind: 'formula', tex: `${left.tex}${relation[1]} ${right.tex}` },
      );
  }
  page.text(paragraph(random, 2));
  return page.build(kind, random, ".formula{margin:10px 0}math{font-family:'DejaVu Math TeX Gyre'}");
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.integer(0, list.length - 1)] as T;
}

function drawSymbol(random: Random): Part {
  if (random.chance(0.3)) {
    const [sign, tex] = pick(random, greek);
    return { mathml: `<mi>${sign}</mi>`, tex: `${tex} ` };
  }
  if (random.chance(0.25)) {
    const number = String(random.integer(2, 99));
    return { mathml: `<mn>${number}</mn>`, tex: number };
  }
  const letter = pick(random, Array.from('abcfghknmpqrstuvwxyzABFKMNRT'));
  return { mathml: `<mi>${letter}</mi>`, tex: letter };
}

function drawSum(random: Random, depth: number): Part {
  const parts = [drawTerm(random, depth)];
  for (let index = random.integer(1, 2); index > 0; index -= 1) {
    const [sign, tex] = pick(random, signs);
    parts.push({ mathml: `<mo>${sign}</mo>`, tex: `${tex} ` }, drawTerm(random, depth));
  }
  return join(parts);
}

function join(parts: readonly Part[]): Part {
  return { mathml: parts.map(({ mathml }) => mathml).join(''), tex: parts.map(({ tex }) => tex).join('') };
}

/** A letter, or a form with parts of one level less. */
function drawTerm(random: Random, depth: number): Part {
  if (depth === 0) return drawSymbol(random);
  const wrapRow = ({ mathml }: Part) => `<mrow>${mathml}</mrow>`;
  const inner = () => (depth > 1 && random.chance(0.6) ? drawSum(random, depth - 1) : drawSymbol(random));
  const base = drawLetter(random);
  const forms: (() => Part)[] = [
    () => {
      const [over, under] = [inner(), inner()];
      return { mathml: `<mfrac>${wrapRow(over)}${wrapRow(under)}</mfrac>`, tex: `\\frac{${over.tex}}{${under.tex}}` };
    },
    () => {
      const up = drawSymbol(random);
      return { mathml: `<msup>${base.mathml}${wrapRow(up)}</msup>`, tex: `${base.tex}^{${up.tex}}` };
    },
    () => {
      const down = drawSymbol(random);
      return { mathml: `<msub>${base.mathml}${wrapRow(down)}</msub>`, tex: `${base.tex}_{${down.tex}}` };
    },
    () => {
      const [down, up] = [drawSymbol(random), drawSymbol(random)];
      const mathml = `<msubsup>${base.mathml}${wrapRow(down)}${wrapRow(up)}</msubsup>`;
      return { mathml, tex: `${base.tex}_{${down.tex}}^{${up.tex}}` };
    },
    () => {
      const under = inner();
      return { mathml: `<msqrt>${under.mathml}</msqrt>`, tex: `\\sqrt{${under.tex}}` };
    },
    () => {
      const [index, end, of] = [drawLetter(random), drawSymbol(random), drawSymbol(random)];
      const lower = `<mrow>${index.mathml}<mo>=</mo><mn>1</mn></mrow>`;
      const mathml = `<munderover><mo>∑</mo>${lower}${wrapRow(end)}</munderover>${of.mathml}`;
      return { mathml, tex: `\\sum _{${index.tex}=1}^{${end.tex}}${of.tex}` };
    },
    () => {
      const [name, of] = [pick(random, ['sin', 'cos', 'log', 'exp']), drawLetter(random)];
      return { mathml: `<mi>${name}</mi><mo>&#x2061;</mo>${of.mathml}`, tex: `\\${name} ${of.tex}` };
    },
  ];
  return pick(random, forms)();
}

function drawLetter(random: Random): Part {
  const letter = pick(random, Array.from('abcknmpqrstuvwxyz'));
  return { mathml: `<mi>${letter}</mi>`, tex: letter };
}
