// Says who is signed in, unless they may do everything, and when that changed while the page was open.

import { isRoleChanged } from "./api/role.ts";
import { bearer, forgetToken } from "./api/sign-in.ts";
import { withCode } from "./parts/notice.tsx";
import { common } from "./texts/common.ts";
import { type Denied, roleTexts as texts } from "./texts/roles.ts";

export function RoleLine() {
  const isChanged = isRoleChanged.value;
  if (bearer.value === null) return null;
  const { name, role } = bearer.value;
  if (role === "operate" && !isChanged) return null;
  return (
    <p class={`role-line ${isChanged ? "is-changed" : ""}`} role="status">
      <span>
        {isChanged ? <strong>{texts.changed} </strong> : null}
        {texts.as(name)} {texts.can[role]}
      </span>
      <button type="button" class="quiet" onClick={forgetToken}>
        {texts.another}
      </button>
      {isChanged ? (
        <button type="button" class="quiet" onClick={() => (isRoleChanged.value = false)}>
          {common.close}
        </button>
      ) : null}
    </p>
  );
}

/** In the place of what the role may not do. */
export function NotAllowed({ what }: { readonly what: Denied }) {
  return (
    <div class="notice dim">
      <p>{texts.denied[what]}</p>
      <p class="small">{withCode(texts.how)}</p>
    </div>
  );
}
