export const controlPrefix = '/__sandbox';

/** Bears the token that stands in the locator. */
export const tokenHeader = 'x-sandbox-token';
