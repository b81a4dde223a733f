// How long tests wait for a fact before they say that it does not come: for what hangs, on the busiest machine. A fact that is there
// ends the wait at once. A test has more time than a wait, so that what hangs is named by the line that waits.

export const patienceMs = 90_000;
export const testMs = 300_000;
/** A campaign of kills takes as long as its machine is slow, and finds by itself what hangs. */
export const campaignMs = 1_800_000;
