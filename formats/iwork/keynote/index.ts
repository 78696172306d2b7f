import type { Format } from '../../format';

/** Presentations of Keynote 6 (2013) and later. Keys of other programs have the same extension, so the container decides. */
export const keynote: Format = {
  name: 'iwork_keynote',
  label: 'iWork Keynote',
  mediaTypes: ['application/vnd.apple.keynote', 'application/x-iwork-keynote-sffkey'],
  extensions: ['key'],
  isZip: true,
  entries: [/^Index\/(?:Slide|MasterSlide|TemplateSlide)(?:-\d+)*\.iwa$/],
  load: () => import('./read'),
};
