import { dropFunctionWords } from './function-words';

const words = (text: string) =>
  dropFunctionWords(text)
    .trim()
    .split(/[\s’']+/);

test.each([
  [
    'what similarity laws must be obeyed when constructing aeroelastic models',
    'similarity laws obeyed constructing aeroelastic models',
  ],
  ['Wie hoch sind die Gebühren für den Hafen?', 'hoch Gebühren Hafen?'],
  ['what does the WHO say about the use of masks', 'WHO say use masks'],
  ["su permet l'exécution de commandes avec un identifiant", 'su permet exécution commandes identifiant'],
])('a question is reduced to its subject: %s', (question, expected) => {
  expect(words(question).join(' ')).toBe(expected);
});

test.each(['the who', 'die casting', 'to be or not to be', 'tide gauge', '', 'SL-40', 'la paz', 'war and peace'])(
  'short names and phrases stay as they are: %s',
  (question) => {
    expect(dropFunctionWords(question)).toBe(question);
  },
);
