import { render } from 'preact';
import { App } from './app.tsx';
import { follow, takeToken } from './connection.ts';
import { listenForKeys } from './keys.tsx';
import { applyTheme } from './settings.ts';

takeToken();
// A link that is pasted into an open tab changes only the fragment.
addEventListener('hashchange', takeToken);
applyTheme();
listenForKeys();
follow();
const place = document.getElementById('page');
if (place) render(<App />, place);
