import { joinText, readLocalName, type XmlElement, type XmlNode } from './xml';

const signs: Record<string, string> = {
  '×': '\\times ',
  '·': '\\cdot ',
  '⋅': '\\cdot ',
  '÷': '\\div ',
  '±': '\\pm ',
  '∓': '\\mp ',
  '−': '-',
  '≤': '\\le ',
  '≥': '\\ge ',
  '≠': '\\ne ',
  '≈': '\\approx ',
  '≡': '\\equiv ',
  '∼': '\\sim ',
  '∝': '\\propto ',
  '∞': '\\infty ',
  '∑': '\\sum ',
  '∏': '\\prod ',
  '∫': '\\int ',
  '∂': '\\partial ',
  '∇': '\\nabla ',
  '∈': '\\in ',
  '∉': '\\notin ',
  '⊂': '\\subset ',
  '⊆': '\\subseteq ',
  '∪': '\\cup ',
  '∩': '\\cap ',
  '∀': '\\forall ',
  '∃': '\\exists ',
  '→': '\\to ',
  '←': '\\leftarrow ',
  '↔': '\\leftrightarrow ',
  '⇒': '\\Rightarrow ',
  '⇔': '\\Leftrightarrow ',
  '…': '\\dots ',
  '⋯': '\\cdots ',
  '′': "'",
  '‖': '\\| ',
  '∥': '\\| ',
  '⟨': '\\langle ',
  '⟩': '\\rangle ',
  '〈': '\\langle ',
  '〉': '\\rangle ',
  '{': '\\{',
  '}': '\\}',
  '%': '\\%',
  '&': '\\&',
  '#': '\\#',
  '\u2061': '',
  '\u2062': '',
  '\u2063': '',
  '\u00a0': '\\ ',
};
const greek =
  'α alpha β beta γ gamma δ delta ε epsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda μ mu µ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ phi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega ℏ hbar ℓ ell'.split(
    ' ',
  );
for (let at = 0; at < greek.length; at += 2) signs[greek[at]!] = `\\${greek[at + 1]!} `;

const accents: Record<string, string> = {
  '^': 'hat',
  ˆ: 'hat',
  '~': 'tilde',
  '˜': 'tilde',
  '¯': 'bar',
  '‾': 'overline',
  _: 'underline',
  '˙': 'dot',
  '¨': 'ddot',
  '→': 'vec',
  '⃗': 'vec',
  '⏞': 'overbrace',
  '⏟': 'underbrace',
};

/**
 * Converts presentation MathML to LaTeX. Unknown elements are treated as rows of their children. Our own, because
 * mathml-to-latex parses a text with another XML parser, and readers have the elements.
 */
export function mathToLatex(math: XmlElement): string {
  return write(math)
    .replace(/ {2,}/g, ' ')
    .replace(/ +([_^)}\]])/g, '$1')
    .trim();
}

function write(node: XmlNode): string {
  if (typeof node === 'string') return node.trim();
  const parts = node.children.filter((inner): inner is XmlElement => typeof inner !== 'string');
  const readPart = (index: number) => (parts[index] ? write(parts[index]) : '');
  const group = (index: number) => `{${readPart(index).trim()}}`;
  switch (readLocalName(node)) {
    case 'mi':
    case 'mn':
    case 'mo':
      return writeToken(node);
    case 'mtext':
    case 'ms':
      return joinText(node).trim() === '' ? ' ' : `\\text{${joinText(node)}}`;
    case 'mspace':
      return ' ';
    case 'mfrac':
      return `\\frac${group(0)}${group(1)}`;
    case 'msqrt':
      return `\\sqrt{${writeRow(node).trim()}}`;
    case 'mroot':
      return `\\sqrt[${readPart(1).trim()}]${group(0)}`;
    case 'msub':
      return `${readPart(0).trim()}_${group(1)}`;
    case 'msup':
      return `${readPart(0).trim()}^${group(1)}`;
    case 'msubsup':
    case 'munderover':
      return `${readPart(0).trim()}_${group(1)}^${group(2)}`;
    case 'munder':
      return writeAccent(parts, '_');
    case 'mover':
      return writeAccent(parts, '^');
    case 'mfenced':
      return writeFenced(node, parts);
    case 'mtable':
      return `\\begin{matrix}${parts.map(write).join('\\\\')}\\end{matrix}`;
    case 'mtr':
      return parts.map(write).join('&');
    case 'semantics':
      return readPart(0);
    case 'annotation':
    case 'annotation-xml':
    case 'mphantom':
      return '';
    default:
      return writeRow(node);
  }
}

function writeFenced({ attributes }: XmlElement, parts: readonly XmlElement[]): string {
  const { open = '(', close = ')', separators = ',' } = attributes;
  return `${open}${parts.map(write).join(separators[0] ?? ',')}${close}`;
}

function writeRow(node: XmlElement): string {
  return node.children.map(write).join('');
}

function writeToken(node: XmlElement): string {
  const text = joinText(node).trim();
  const written = text.replace(/./gsu, (sign) => signs[sign] ?? sign);
  const isWord = readLocalName(node) === 'mi' && /^\p{L}{2,}$/u.test(text);
  if (isWord) return /^(?:sin|cos|tan|log|ln|exp|lim|max|min|det|arg)$/.test(text) ? `\\${text} ` : `\\mathrm{${text}}`;
  return written;
}

function writeAccent(parts: readonly XmlElement[], sign: '_' | '^'): string {
  const [base, over] = parts;
  if (!base) return '';
  const accent = over ? accents[joinText(over).trim()] : undefined;
  if (accent) return `\\${accent}{${write(base).trim()}}`;
  return `${write(base).trim()}${sign}{${over ? write(over).trim() : ''}}`;
}
