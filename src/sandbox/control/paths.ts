export const controlPrefix = '/__sandbox';

/** Carries the token from the locator. */
export const tokenHeader = 'x-sandbox-token';
