export const controlPrefix = '/__sandbox';

/** The page in the browser, and the changes that it follows. */
export const pagePath = `${controlPrefix}/`;
export const streamPath = `${controlPrefix}/stream`;

/** Carries the token from the locator. */
export const tokenHeader = 'x-sandbox-token';
