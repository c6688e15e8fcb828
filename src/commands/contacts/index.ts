import { createContact } from './create.ts';
import { exportContacts } from './export.ts';
import { importContacts } from './import.ts';
import { listContacts } from './list.ts';

export const contactsCommands = [listContacts, createContact, importContacts, exportContacts];
