// Measures the sandbox's page in a real browser: what an open page costs the API, how soon a message appears, and how a
// page with 5,000 messages scrolls. Needs chromium.
//   node bench/page.mjs [--quick] [api] [appears] [many]
import { api } from './page/api.mjs';
import { appears } from './page/appears.mjs';
import { many } from './page/many.mjs';
import { measure } from './rig/parts.mjs';

const about = 'In chromium, which takes CPU of the same machine. The ratio by CPU is that of the sandbox alone.';

await measure(about, { api, appears, many });
