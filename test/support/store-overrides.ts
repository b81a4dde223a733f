// A store with some of its methods replaced, for tests of what happens when one of them answers differently.

import type { Store } from "../../src/store/store.ts";

/** The store, with some of its methods replaced. */
export function overriding(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, key) {
      const own = methods[key as keyof Store];
      if (own) return own;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
