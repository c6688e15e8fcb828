/** Where a file of failed rows says why; an import of it drops it. */
export const errorField = 'bizmsg_error';

/** Where such a file, if it is JSON, holds the text of what could not be read. */
export const textField = 'bizmsg_text';

/** Begins the error of a table's row that could not be read; its text stands in the first cell. */
export const damagedMark = 'damaged: ';
