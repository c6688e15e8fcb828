/** The screens, in the order of the navigation; the key comes after `g`. */
export const screens = [
  { name: 'phones', title: 'Phones', key: 'p' },
  { name: 'timeline', title: 'Timeline', key: 't' },
  { name: 'deliveries', title: 'Deliveries', key: 'd' },
  { name: 'contents', title: 'Contacts', key: 'c' },
  { name: 'limits', title: 'Limits and faults', key: 'l' },
] as const;

export type ScreenName = (typeof screens)[number]['name'];
