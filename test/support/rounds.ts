// How often tests of properties and kills try. A run alone must not take long; `npm run test:long` tries as often as is good for the
// night before a release.

const triesAll = process.env["PAWL_ALL_ROUNDS"] === "1";

export function rounds({ usual, all }: { readonly usual: number; readonly all: number }): number {
  return triesAll ? all : usual;
}
