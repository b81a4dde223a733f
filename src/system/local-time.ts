// Times for people: in the time zone of this machine, and only as long as it needs to be.

/** `14:05`, or `2026-01-31 14:05` if it is another day than `now`. */
export function localTime(at: number, now: number): string {
  const [day, time] = partsOf(at);
  return day === partsOf(now)[0] ? time : `${day} ${time}`;
}

function partsOf(at: number): readonly [day: string, time: string] {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return [day, `${two(date.getHours())}:${two(date.getMinutes())}`];
}
