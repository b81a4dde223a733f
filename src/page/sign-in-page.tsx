// What somebody sees who has not signed in: how to get the link, or a field for a token.

import { useSignal } from "@preact/signals";
import { signInProblem, signInWith } from "./api/sign-in.ts";
import { withCode } from "./parts/notice.tsx";
import { signInTexts as texts } from "./texts/common.ts";

export function SignIn() {
  const token = useSignal("");
  return (
    <main class="page alone">
      <h1>{texts.title}</h1>
      {signInProblem.value === "" ? null : (
        <p class="notice bad" role="alert">
          {texts.problem(signInProblem.value)}
        </p>
      )}
      <p>{texts.how}</p>
      <pre>{texts.command}</pre>
      <p class="dim">{withCode(texts.orPrint)}</p>
      <form
        class="sign-in-form"
        onSubmit={(event) => {
          event.preventDefault();
          signInWith(token.value.trim());
        }}
      >
        <input
          type="password"
          autocomplete="off"
          aria-label={texts.token}
          placeholder={texts.token}
          value={token.value}
          onInput={(event) => {
            token.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="primary" disabled={token.value.trim() === ""}>
          {texts.submit}
        </button>
      </form>
    </main>
  );
}
