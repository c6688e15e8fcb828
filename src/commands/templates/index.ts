import { listTemplates } from './list.ts';

export const templatesCommands = [listTemplates];
