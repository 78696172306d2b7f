import type { Format } from '../../format';

/** Documents of iWork '09 Pages, whose text is XML, and of Pages 5 and later, whose objects are in archives. */
export const pages: Format = {
  name: 'iwork_pages',
  label: 'iWork Pages',
  mediaTypes: ['application/vnd.apple.pages', 'application/x-iwork-pages-sffpages'],
  extensions: ['pages'],
  load: () => import('./read'),
};
