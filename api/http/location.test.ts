import { routes } from '../routes';
import { findLocation } from './location';

test.each([
  ['/api/v1/flows', { flow_id: 'f 1' }, '/api/v1/flows/f%201'],
  ['/api/v1/flows/f/schedules', { schedule_id: 's', flow_id: 'f' }, '/api/v1/flows/f/schedules/s'],
  ['/api/v1/document-sets', { id: 's' }, '/api/v1/document-sets/s'],
  [
    '/api/v1/document-libraries/l/uploads',
    { upload_id: 'u', library_id: 'l' },
    '/api/v1/document-libraries/l/uploads/u',
  ],
  ['/api/v1/job_runs/r/rerun', { job_run_id: 'new' }, '/api/v1/job_runs/new'],
  ['/api/v1/elsewhere', { id: 'x' }, undefined],
  ['/api/v1/flows', undefined, undefined],
])('the result of %s is at the address that reads it', (path, body, location) => {
  expect(findLocation(path, body, routes)).toBe(location);
});
