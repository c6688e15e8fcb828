/**
 * Matches a character that a terminal hides, or that reorders its text, in a regular expression with the flag u. Joiners
 * and the emoji form are part of other scripts and of emoji.
 */
export const unseen = String.raw`[\p{Cf}\p{DI}\u2028\u2029\u2800](?<!\u200c|\u200d|\p{Emoji}\ufe0f)`;
