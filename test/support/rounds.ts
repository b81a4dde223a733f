// How often tests of properties and kills try. They choose anew each time, so that all runs of the tests together try much; a run
// alone must not take long. `npm run test:long` tries as often as is good for the night before a release.

const triesAll = process.env["PAWL_ALL_ROUNDS"] === "1";

export function rounds({ usual, all }: { readonly usual: number; readonly all: number }): number {
  return triesAll ? all : usual;
}
