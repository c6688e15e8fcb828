import type { Campaign, Contact, Template } from '../state/records.ts';

const texts = [
  ['order_update', 'en_US', 'UTILITY', 'Hello {{1}}, your order {{2}} is on its way.', ['name', 'order']],
  ['welcome', 'en_US', 'MARKETING', 'Welcome! Write to us here whenever you need us.', []],
  ['appointment_reminder', 'en_US', 'UTILITY', 'Hello {{1}}, see you on {{2}} at {{3}}.', ['name', 'day', 'time']],
  ['verification_code', 'en_US', 'AUTHENTICATION', 'Your code is {{1}}.', ['code']],
  ['pedido_enviado', 'es', 'UTILITY', 'Hola {{1}}, tu pedido {{2}} va en camino.', ['nombre', 'pedido']],
  ['spring_sale', 'en_US', 'MARKETING', 'Spring is here, {{1}}: 20 % off.', ['name'], 'PENDING'],
  ['regalo', 'es', 'MARKETING', '¡Tu regalo te espera!', [], 'REJECTED'],
] as const;

/** With the audience, and the messages sent, delivered, read and failed. */
const broadcasts = [
  ['Welcome to new customers', 'welcome', 'COMPLETED', 120, [120, 117, 96, 3]],
  ['Order updates', 'order_update', 'RUNNING', 40, [25, 24, 11, 0]],
  ['Reminders for May', 'appointment_reminder', 'SCHEDULED', 60, [0, 0, 0, 0]],
] as const;

const people = [
  ['+12025550111', 'Grace Hopper', ['customer']],
  ['+12025550112', 'Alan Turing', ['customer', 'vip']],
  ['+12025550113', 'Katherine Johnson', []],
  ['+12025550114', 'Edsger Dijkstra', ['lead']],
  ['+12025550115', 'Margaret Hamilton', ['customer']],
] as const;

/** Initial data of a sandbox: templates of every kind, campaigns, and contacts with fictional numbers. */
export const sampleData = {
  templates: texts.map(([name, language, category, body, variables, status = 'APPROVED' as const], at): Template => {
    return { id: `tpl_sandbox_${at + 1}`, name, language, category, status, body, variables };
  }),
  campaigns: broadcasts.map(([name, template, status, audience, [sent, delivered, read, failed]], at): Campaign => {
    const counts = { sent, delivered, read, failed };
    return { id: `cmp_sandbox_${at + 1}`, name, template, status, audience, counts, created_at: day(at) };
  }),
  contacts: people.map(([phone, name, tags], at): Contact => {
    return { id: `con_sandbox_${at + 1}`, phone, name, tags, attributes: {}, created_at: day(at) };
  }),
} as const;

function day(number: number): string {
  return new Date(Date.UTC(2026, 0, number + 1, 9)).toISOString();
}
