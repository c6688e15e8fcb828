const longest = 100;

/** Why a text cannot name an account, or undefined if it can. Names are printed and stored in full. */
export function accountFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.test(name)) return 'has characters that cannot be printed';
  if (/sk_(?:test|live)_.|whsec_./i.test(name)) return 'looks like a key';
  return Array.from(name).length > longest ? `is longer than ${longest} characters` : undefined;
}
