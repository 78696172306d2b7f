import { templateFrom } from '../template/template';
import { extractWithRules } from './rules';

const permit = templateFrom({
  root: 'Permit',
  classes: {
    Permit: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str', labels: ['permit no'] },
        holder: { model: 'Person', labels: ['name'] },
        holder_name: { type: 'str', labels: ['full name'] },
        wages: { type: 'decimal', labels: ['wages and tips'] },
      },
    },
    Person: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
  },
});
const read = (...lines: string[]) => extractWithRules(permit, lines.join('\n')).instance;

test('a name whose first and last part have a label each is one name', () => {
  const name = 'Ada Quill';
  const facts = { holder: { name }, holder_name: name };
  expect(read('Permit no: 7', 'Last name: Quill', 'First name: Ada')).toEqual({ number: '7', ...facts });
  expect(read('Employee’s first name and initial: Ada', 'Surname: Quill')).toEqual(facts);
});

test('a name with a label of its own comes first, and two persons are none', () => {
  expect(read('Name: Ada Quill', 'First name: A.', 'Last name: Q.')).toMatchObject({ holder: { name: 'Ada Quill' } });
  const both = ['First name: Ada', 'Last name: Quill', 'First name: Ben', 'Last name: Reed'];
  expect(read('Permit no: 7', ...both)).toEqual({ number: '7' });
});

test('field lists and the letters and numbers of items are no part of a label', () => {
  expect(read(':Permit no: 7', ':Wages and tips: 12.50')).toEqual({ number: '7', wages: '12.50' });
  expect(read('a Permit no: 7', '1. Wages and tips: 12.50')).toEqual({ number: '7', wages: '12.50' });
  expect(read('1a Permit no: 7')).toEqual({ number: '7' });
});
