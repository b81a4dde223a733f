// The page. Owns: its start: who looks, where it stands, what changes, and the first picture.

import { render } from "preact";
import { followAddress } from "./address.ts";
import { followChanges } from "./api/changes.ts";
import { followRole } from "./api/role.ts";
import { takeFragment } from "./api/sign-in.ts";
import { App } from "./app.tsx";
import { followPresence } from "./home/presence.ts";

followAddress();
await takeFragment();
followRole();
render(<App />, document.getElementById("app") as HTMLElement);
followChanges();
followPresence();
