// Stores on a server get tables for machines of other homes (postgres/machines.ts), which those in a file do not need. Both have the same
// version.

export async function up(): Promise<void> {}
