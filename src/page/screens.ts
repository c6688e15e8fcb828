/** The screens, in the order of the navigation; the key comes after `g`. A narrow window has no room for `more`. */
export const screens = [
  { name: 'phones', title: 'Phones', more: '', key: 'p' },
  { name: 'timeline', title: 'Timeline', more: '', key: 't' },
  { name: 'deliveries', title: 'Deliveries', more: '', key: 'd' },
  { name: 'contents', title: 'Contacts', more: ' and templates', key: 'c' },
  { name: 'limits', title: 'Limits', more: ' and faults', key: 'l' },
] as const;

export type ScreenName = (typeof screens)[number]['name'];
