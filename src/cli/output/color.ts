import { Chalk } from 'chalk';

/** The colors that every terminal has. */
export const color = new Chalk({ level: 1 });
