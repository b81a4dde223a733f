// Stores on a server get a table of jobs (postgres/jobs.ts), which those in a file do not need. Both have the same version.

export async function up(): Promise<void> {}
