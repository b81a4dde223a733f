// A number and its noun, as a sentence has them: `1 story`, `2 stories`.

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
