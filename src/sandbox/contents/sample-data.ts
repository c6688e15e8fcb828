import type { Campaign, Contact, Template } from '../state/records.ts';

/** Initial data of a sandbox: templates of every kind, campaigns, and contacts with fictional numbers. */
export const sampleData = {
  templates: [
    template(1, 'order_update', 'en_US', 'UTILITY', 'Hello {{1}}, your order {{2}} is on its way.', ['name', 'order']),
    template(2, 'welcome', 'en_US', 'MARKETING', 'Welcome! Write to us here whenever you need us.', []),
    template(3, 'appointment_reminder', 'en_US', 'UTILITY', 'Hello {{1}}, see you on {{2}} at {{3}}.', [
      'name',
      'day',
      'time',
    ]),
    template(4, 'verification_code', 'en_US', 'AUTHENTICATION', 'Your code is {{1}}.', ['code']),
    template(5, 'pedido_enviado', 'es', 'UTILITY', 'Hola {{1}}, tu pedido {{2}} va en camino.', ['nombre', 'pedido']),
    template(6, 'spring_sale', 'en_US', 'MARKETING', 'Spring is here, {{1}}: 20 % off.', ['name'], 'PENDING'),
    template(7, 'regalo', 'es', 'MARKETING', '¡Tu regalo te espera!', [], 'REJECTED'),
  ],
  campaigns: [
    campaign(1, 'Welcome to new customers', 'welcome', 'COMPLETED', [120, 120, 117, 96, 3]),
    campaign(2, 'Order updates', 'order_update', 'RUNNING', [40, 25, 24, 11, 0]),
    campaign(3, 'Reminders for May', 'appointment_reminder', 'SCHEDULED', [60, 0, 0, 0, 0]),
  ],
  contacts: [
    contact(1, '+12025550111', 'Grace Hopper', ['customer']),
    contact(2, '+12025550112', 'Alan Turing', ['customer', 'vip']),
    contact(3, '+12025550113', 'Katherine Johnson', []),
    contact(4, '+12025550114', 'Edsger Dijkstra', ['lead']),
    contact(5, '+12025550115', 'Margaret Hamilton', ['customer']),
  ],
} as const;

type TemplateText = readonly [name: string, language: string, category: string, body: string];

function template(
  number: number,
  ...[name, language, category, body, variables, status = 'APPROVED']: [
    ...TemplateText,
    variables: readonly string[],
    status?: Template['status'],
  ]
): Template {
  return { id: `tpl_sandbox_${number}`, name, language, category, status, body, variables };
}

type Numbers = readonly [audience: number, sent: number, delivered: number, read: number, failed: number];

function campaign(
  number: number,
  ...[name, template, status, numbers]: [string, string, Campaign['status'], Numbers]
): Campaign {
  const [audience, sent, delivered, read, failed] = numbers;
  const counts = { sent, delivered, read, failed };
  return { id: `cmp_sandbox_${number}`, name, template, status, audience, counts, created_at: day(number) };
}

function contact(number: number, phone: string, name: string, tags: readonly string[]): Contact {
  return { id: `con_sandbox_${number}`, phone, name, tags, attributes: {}, created_at: day(number) };
}

function day(number: number): string {
  return new Date(Date.UTC(2026, 0, number, 9)).toISOString();
}
