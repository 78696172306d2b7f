import { buildDefaultConvertOptions } from '../../model/conversion/request/options';
import type { TaskRecord } from '../../services/conversion/record';
import { buildPlan } from './plan';
import type { OpenTask } from './sources';

const sources: OpenTask['sources'] = [{ kind: 'file', key: 'k', filename: 'a.docx', size: 10 }];
const encodeLightDocuments = (change: object) => {
  const request = {
    task_type: 'convert',
    options: { ...buildDefaultConvertOptions(), ...change },
    target: { kind: 'inbody' },
    callbacks: [],
  };
  const record = { request, packaging: 'inbody' } as unknown as TaskRecord;
  return buildPlan(record, { sources } as unknown as OpenTask).light;
};

test('a small document is converted inside the worker of the workflow unless it needs a model', () => {
  expect(encodeLightDocuments({})).toBe('1');
  expect(encodeLightDocuments({ do_picture_description: true })).toBe('0');
  expect(encodeLightDocuments({ pipeline: 'vlm' })).toBe('0');
});
