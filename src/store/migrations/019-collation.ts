// Stores on a server compare all texts byte by byte from here on (postgres/collation.ts), as those in a file always have. Both have the
// same version.

export async function up(): Promise<void> {}
