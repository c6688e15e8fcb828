import { render } from 'preact';
import { App, followTheme } from './app.tsx';
import { followWall } from './clock.tsx';
import { follow, takeToken } from './connection.ts';
import { followAddress } from './route.ts';
import { listenForKeys } from './shortcuts.tsx';

takeToken();
// A link that is pasted into an open tab changes only the fragment.
addEventListener('hashchange', takeToken);
followTheme();
followAddress();
listenForKeys();
void follow();
followWall();
const place = document.getElementById('page');
if (place) render(<App />, place);
