/** Constants of the build. */
declare const __VERSION__: string;
declare const __BUILD__: string;
/** The day of the build, as `2026-05-01`. */
declare const __BUILD_DATE__: string;
/** The folder of the built page, relative to the file that reads it. */
declare const __PAGE__: string;
/** The top-level help as rendered at build; empty while it is being rendered, and in tests from source. */
declare const __ROOT_HELP__: string;
/** The texts of files that a standalone binary contains, by name; only there. */
declare const __CONTAINED__: Readonly<Record<string, string>> | undefined;
