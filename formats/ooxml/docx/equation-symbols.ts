const greek =
  'α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa ϰ varkappa λ lambda μ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega';
const relations =
  '± pm ∓ mp × times ÷ div · cdot ⋅ cdot ∗ ast ⋆ star ∘ circ ∙ bullet ≠ neq ≤ leq ≥ geq ≪ ll ≫ gg ≈ approx ≡ equiv ≅ cong ∼ sim ≃ simeq ∝ propto ≺ prec ≻ succ ∥ parallel ⊥ perp ∣ mid ∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ∪ cup ∩ cap ∖ setminus ∧ wedge ∨ vee ¬ neg ⊕ oplus ⊗ otimes ⊖ ominus ⊢ vdash ⊨ models';
const arrows =
  '← leftarrow → rightarrow ↔ leftrightarrow ↑ uparrow ↓ downarrow ↕ updownarrow ⇐ Leftarrow ⇒ Rightarrow ⇔ Leftrightarrow ⇑ Uparrow ⇓ Downarrow ↦ mapsto ↗ nearrow ↘ searrow ↙ swarrow ↖ nwarrow ⟶ longrightarrow ⟵ longleftarrow ⟹ Longrightarrow';
const others =
  '∞ infty ∂ partial ∇ nabla ∀ forall ∃ exists ∄ nexists ∅ varnothing ℏ hbar ℓ ell ℜ Re ℑ Im ℵ aleph ∠ angle ° degree … ldots ⋯ cdots ⋮ vdots ⋱ ddots ′ prime ″ prime\\prime √ surd ∴ therefore ∵ because † dagger ‡ ddagger ⟨ langle ⟩ rangle ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ‖ Vert ∑ sum ∏ prod ∫ int ∬ iint ∭ iiint ∮ oint ∎ blacksquare □ square △ triangle';
const boards = 'ℝ R ℕ N ℤ Z ℚ Q ℂ C ℙ P ℍ H';

function listPairs(list: string, write: (name: string) => string): [string, string][] {
  const words = list.split(' ');
  return words.flatMap((word, index) =>
    index % 2 === 0 ? [[word, write(words[index + 1]!)] as [string, string]] : [],
  );
}
const formatCommand = (name: string) => `\\${name}`;

/** Characters that LaTeX writes as a command. */
export const symbolCommands: Readonly<Record<string, string>> = Object.fromEntries([
  ...[greek, relations, arrows, others].flatMap((list) => listPairs(list, formatCommand)),
  ...listPairs(boards, (letter) => `\\mathbb{${letter}}`),
  ['−', '-'],
]);

/** Operators with limits. */
export const operators: Readonly<Record<string, string>> = Object.fromEntries(
  listPairs(
    '∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ∯ oiint ⋀ bigwedge ⋁ bigvee ⋂ bigcap ⋃ bigcup ⨀ bigodot ⨁ bigoplus ⨂ bigotimes',
    formatCommand,
  ),
);

/** Commands for accents and braces, by combining character. */
export const accents: Readonly<Record<string, string>> = {
  '\u0300': 'grave',
  '\u0301': 'acute',
  '\u0302': 'hat',
  '\u0303': 'tilde',
  '\u0304': 'bar',
  '\u0305': 'overline',
  '\u0306': 'breve',
  '\u0307': 'dot',
  '\u0308': 'ddot',
  '\u030c': 'check',
  '\u0331': 'underline',
  '\u20d6': 'overleftarrow',
  '\u20d7': 'vec',
  '\u20db': 'dddot',
  '\u20e1': 'overleftrightarrow',
  '\u23b4': 'overbracket',
  '\u23b5': 'underbracket',
  '\u23de': 'overbrace',
  '\u23df': 'underbrace',
  '\u2192': 'overrightarrow',
  '\u2190': 'overleftarrow',
};

/** Function names that have their own command. */
export const functions: ReadonlySet<string> = new Set(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp det dim ker deg gcd hom arg max min sup inf lim limsup liminf Pr'.split(
    ' ',
  ),
);
